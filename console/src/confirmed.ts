/* SPDX-License-Identifier: Apache-2.0 */
/* What cannot be undone asks for the passkey once more, and then goes on by itself. */
import { ask, Problem, type Sent } from "./api";
import { site } from "./site";

export async function change<T>(path: string, sent: Sent): Promise<T> {
  try {
    return await ask<T>(path, sent);
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== "STEP_UP_REQUIRED") throw problem;
    await site.confirm();
    return ask<T>(path, sent);
  }
}
