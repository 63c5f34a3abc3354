/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log as it is sent: parts of gzip with the lines, and behind them an empty one whose comment is the position of the last line. Browsers unpack only a
 * single part, so they are taken apart first: by their headers of ten bytes, which compressed text does not have by chance.
 */
const HEADER_BYTES = 10;
const HAS_COMMENT = 0x10;

/* Magic, deflate, with or without a comment, no time; then how well it was packed, and Unix. */
function isHeader(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8 && (bytes[at + 3] === 0 || bytes[at + 3] === HAS_COMMENT)
    && !bytes[at + 4] && !bytes[at + 5] && !bytes[at + 6] && !bytes[at + 7] && bytes[at + 9] === 3;
}

export async function partsOf(bytes: Uint8Array<ArrayBuffer>): Promise<{ text: string; position: string }> {
  const starts: number[] = [];
  for (let at = bytes.indexOf(0x1f); at >= 0; at = bytes.indexOf(0x1f, at + 1)) if (isHeader(bytes, at)) starts.push(at);
  let text = "", position = "";
  for (const [i, start] of starts.entries()) {
    const part = bytes.subarray(start, starts[i + 1] ?? bytes.length);
    if (part[3] === HAS_COMMENT) position = /^position=([0-9-]+)/.exec(new TextDecoder().decode(part.subarray(HEADER_BYTES)))?.[1] ?? position;
    else text += await new Response(new Blob([part]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  return { text, position };
}
