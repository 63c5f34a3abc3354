/* SPDX-License-Identifier: Apache-2.0 */
/* A sentence of the tables: what is between `…` is code. */
export function Doc(props: { text: string }) {
  return <>{props.text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}
