/* SPDX-License-Identifier: Apache-2.0 */
/* How somebody signs in: with a passkey, or a password. The cookie itself is out of reach for every script. */
import { ask, Problem, send } from "./api";
import { change } from "./confirmed";
import { say } from "./messages";
import { site } from "./site";

export async function signOut(): Promise<void> {
  await send(`${site.account}/sign-out`, { method: "POST" });
}

/* ---- Passkeys ---- */
function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}

function text(buffer: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function assertion(rpId: string, challenge: string, credentials: string[] = []) {
  const found = (await navigator.credentials.get({
    publicKey: { challenge: bytes(challenge), rpId, userVerification: "required", allowCredentials: credentials.map((id) => ({ type: "public-key", id: bytes(id) })) },
  })) as PublicKeyCredential | null;
  if (!found) throw new Error("No passkey was chosen.");
  const answer = found.response as AuthenticatorAssertionResponse;
  return {
    challenge,
    credentialId: text(found.rawId),
    clientData: text(answer.clientDataJSON),
    authenticatorData: text(answer.authenticatorData),
    signature: text(answer.signature),
  };
}

/* Without a name (rpId) there are no passkeys here. */
export interface Challenges {
  rpId?: string;
  signIn?: string;
  confirm?: string;
  passwords: boolean;
}

export function challenges(): Promise<Challenges> {
  return ask<Challenges>(`${site.account}/sign-in/challenge`);
}

export async function signIn(): Promise<void> {
  const { rpId, signIn: challenge } = await challenges();
  if (!rpId || !challenge) throw new Error(say("signIn.noPasskeys"));
  await send(`${site.account}/sign-in/passkey`, { method: "POST", body: await assertion(rpId, challenge) });
}

export async function signInWithPassword(username: string, password: string): Promise<void> {
  await send(`${site.account}/sign-in/password`, { method: "POST", body: { username, password } });
}

export interface Passkey {
  passkeyId: string;
  credentialId: string;
  name: string;
  createdAt: string;
  usedAt?: string;
}

export interface Credentials {
  results: Passkey[];
  passkeys: boolean;
  passwords: boolean;
  passwordChangedAt?: string;
}

/* For what cannot be undone: they show with a passkey that they are still there. */
export async function confirmWithPasskey({ rpId, confirm: challenge }: Challenges): Promise<void> {
  if (!rpId || !challenge) throw new Error(say("signIn.noPasskeys"));
  await send(`${site.account}/sign-in/confirm`, { method: "POST", body: await assertion(rpId, challenge) });
}

/* ---- The organization's identity provider ---- */
/* Where the browser goes, or, where the domain has several, which there are. */
export interface WayToProvider {
  authorizationUrl?: string;
  identityProviders?: { id: string; displayName: string }[];
}

export function beginWithProvider(username: string, identityProviderId?: string): Promise<WayToProvider> {
  return ask<WayToProvider>("/api/sign-in/provider", { method: "POST", body: { username, ...(identityProviderId && { identityProviderId }) } });
}

const TRIES = 3;
const BEARABLE_WAIT_S = 5; /* what the provider gave does not last long */

/* A session, or (without sessionId) the confirmation in one. When others wait for the same provider, what was brought is not used up: it is brought again. */
export async function finishWithProvider(brought: Record<string, string>): Promise<{ username: string; sessionId?: string }> {
  const way = "samlResponse" in brought ? "finish-saml" : "finish";
  for (let tries = 1; ; tries++) {
    try {
      return await ask(`/api/sign-in/provider/${way}`, { method: "POST", body: brought });
    } catch (error) {
      const waitS = error instanceof Problem && error.status === 503 ? error.retryAfterS : 0;
      if (tries === TRIES || waitS === 0 || waitS > BEARABLE_WAIT_S) throw error;
      await new Promise((goOn) => setTimeout(goOn, waitS * 1000));
    }
  }
}

interface Asked {
  rpId?: string;
  userHandle: string;
  username: string;
  operator?: string; /* in place of the user name */
  enrol: string;
  signIn: string;
}

export interface Enrolment extends Asked {
  passwords: boolean;
  recovers: boolean;
}

export async function enrolmentOf(token: string): Promise<Enrolment> {
  const asked = await ask<Enrolment>(`${site.account}/sign-in/enrolment`, { method: "POST", body: { token } });
  return { ...asked, username: asked.operator ?? asked.username };
}

/* The new passkey signs at once, so that nobody leaves with one that does not work. One device has one: what it has already is not made again. */
async function newPasskey(asked: Asked, known: Passkey[] = []) {
  if (!asked.rpId) throw new Error(say("signIn.noPasskeys"));
  const made = (await navigator.credentials.create({
    publicKey: {
      challenge: bytes(asked.enrol),
      rp: { id: asked.rpId, name: "Reeve" },
      user: { id: bytes(asked.userHandle), name: asked.username, displayName: asked.username },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -8 }, { type: "public-key", alg: -257 }],
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: known.map((one) => ({ type: "public-key", id: bytes(one.credentialId) })),
      attestation: "none",
    },
  })) as PublicKeyCredential | null;
  if (!made) throw new Error("No passkey was made.");
  const answer = made.response as AuthenticatorAttestationResponse;
  const key = answer.getPublicKey();
  if (!key) throw new Error("This browser made a passkey of a kind that is not known here. Try another device.");
  const registration = { challenge: asked.enrol, clientData: text(answer.clientDataJSON), authenticatorData: text(answer.getAuthenticatorData()) };
  return { publicKey: text(key), registration, assertion: await assertion(asked.rpId, asked.signIn, [text(made.rawId)]) };
}

export async function enrol(token: string, name: string): Promise<void> {
  const made = await newPasskey(await enrolmentOf(token));
  await send(`${site.account}/sign-in/enrol`, { method: "POST", body: { token, name, ...made } });
}

export async function enrolPassword(token: string, password: string): Promise<void> {
  await send(`${site.account}/sign-in/enrol-password`, { method: "POST", body: { token, password } });
}

export async function addPasskey(known: Credentials, name: string): Promise<void> {
  const asked = await change<Asked>("/api/passkeys/begin", { method: "POST", body: {} });
  const made = await newPasskey(asked, known.results);
  await change("/api/passkeys/add", { method: "POST", body: { name, ...made } });
}
