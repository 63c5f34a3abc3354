/* SPDX-License-Identifier: Apache-2.0 */
/* Where somebody is signed in, how they end a session that is not theirs any more, and what they sign in with. */
import { useWorld } from "../frame";
import { Screen } from "../ui/basics";
import { Sessions } from "../ui/sessions";
import { SignInWith } from "./credentials";

export function Account() {
  const { person } = useWorld();
  return (
    <Screen title={person.username}>
      <Sessions />
      <SignInWith />
    </Screen>
  );
}
