/* SPDX-License-Identifier: Apache-2.0 */
/* What every console begins with: who is signed in, and the frame around the screen that the address is of. */
import { type ComponentChildren, render } from "preact";
import { signedOut } from "./api";
import { catalog } from "./catalog";
import { contextOf, Frame, WorldContext } from "./frame";
import { say } from "./messages";
import { BASE, followLinks, go, type Place, to, usePlace } from "./route";
import { FromProvider } from "./screens/from_provider";
import { Enrol, SignIn } from "./screens/sign_in";
import { beAt, type Person, type Site, site } from "./site";
import { Empty, Screen, Show, useLoaded } from "./ui/basics";

type ScreenOf = (place: Place) => ComponentChildren;

export function Missing() {
  return <Screen title={say("state.missing")}><Empty next={<a class="button" href={to()}>{say("state.missingNext")}</a>}>{location.pathname}</Empty></Screen>;
}

function SignedIn(props: { person: Person; place: Place; screenOf: ScreenOf }) {
  const known = useLoaded("catalog", catalog);
  return (
    <Show of={known}>
      {(tables) => (
        <WorldContext.Provider value={{ catalog: tables, person: props.person, place: props.place, context: contextOf(props.person, props.place) }}>
          <Frame>{props.screenOf(props.place)}</Frame>
        </WorldContext.Provider>
      )}
    </Show>
  );
}

function App(props: { screenOf: ScreenOf }) {
  const place = usePlace();
  const isOpen = place.path[0] === "sign-in" || place.path[0] === "enrol";
  const person = useLoaded(isOpen ? "nobody" : "person", () => (isOpen ? Promise.resolve(undefined) : site.whoIsHere()));
  if (site.providers && place.path[0] === "sign-in" && place.path[1] === "provider" && place.path[2]) return <FromProvider provider={place.path[2]} />;
  if (place.path[0] === "sign-in") return <SignIn />;
  if (place.path[0] === "enrol") return <Enrol />;
  return (
    <Show of={person}>
      {(found) => {
        if (found) return <SignedIn person={found} place={place} screenOf={props.screenOf} />;
        queueMicrotask(() => go(to("sign-in") + "?next=" + encodeURIComponent(location.pathname + location.search), true));
        return null;
      }}
    </Show>
  );
}

/* The only thing that an entry point does. */
export function begin(at: Site, screenOf: ScreenOf): void {
  beAt(at);
  signedOut.addEventListener("end", () => {
    if (!location.pathname.startsWith(BASE + "/sign-in") && !location.pathname.startsWith(BASE + "/enrol"))
      go(to("sign-in") + "?next=" + encodeURIComponent(location.pathname + location.search), true);
  });
  document.addEventListener("click", followLinks);
  render(<App screenOf={screenOf} />, document.getElementById("app")!);
}
