/* SPDX-License-Identifier: Apache-2.0 */
/* The few pictures of the frame, drawn in the colour of the text. */
const PATHS = {
  search: "M10.5 10.5 14 14M12 7A5 5 0 1 1 2 7a5 5 0 0 1 10 0Z",
  theme: "M8 2a6 6 0 1 0 6 6 4.5 4.5 0 0 1-6-6Z",
  leave: "M9 3H3v10h6M7 8h7M11.5 5.5 14 8l-2.5 2.5",
  person: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 14c0-3 2-4.5 5-4.5s5 1.5 5 4.5",
} as const;

export function Icon(props: { name: keyof typeof PATHS }) {
  return <svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d={PATHS[props.name]} /></svg>;
}
