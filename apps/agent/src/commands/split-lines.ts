/** The lines of a text that comes in pieces, without their ends; what comes after the last end is no line. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const pieces = decoder.decode(chunk, { stream: true }).split('\n');
    pieces[0] = `${rest}${pieces[0] ?? ''}`;
    rest = pieces.pop() ?? '';
    yield* pieces;
  }
}
