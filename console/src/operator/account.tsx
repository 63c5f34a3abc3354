/* SPDX-License-Identifier: Apache-2.0 */
/* Where an operator is signed in. */
import { useWorld } from "../frame";
import { Screen } from "../ui/basics";
import { Sessions } from "../ui/sessions";

export function Account() {
  return <Screen title={useWorld().person.username}><Sessions /></Screen>;
}
