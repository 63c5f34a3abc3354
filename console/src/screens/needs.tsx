/* SPDX-License-Identifier: Apache-2.0 */
/* In place of a list that somebody may not see: which role is missing, and who could give it. */
import { say } from "../messages";
import { Empty } from "../ui/basics";

export function Needs(props: { roles: string[]; operation: string }) {
  return <div data-operation={props.operation} data-missing={props.roles.join(" ")}><Empty>{say("may.list", { roles: props.roles.join(" / ") })}</Empty></div>;
}
