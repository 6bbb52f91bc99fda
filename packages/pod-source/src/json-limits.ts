/** As for YAML: more values than a pod has that an API server would store. */
const MAX_TOKENS = 250_000;
/** Depth at which the kubelet's decoder gives up. Deeper values exhaust the stack of the decoder. */
const MAX_DEPTH = 10_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Checks the tokens of a JSON text before it is parsed, and returns the exceeded limit, if any. Ten megabytes of values take gigabytes and minutes when they are
 * decoded and validated.
 */
export function exceededJsonLimit(text: string): string | undefined {
  let tokens = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) {
      index = endOfText(text, index);
      continue;
    }
    if (character === OPENING_BRACE || character === OPENING_BRACKET) depth += 1;
    else if (character === CLOSING_BRACE || character === CLOSING_BRACKET) depth -= 1;
    else if (character !== COMMA && character !== COLON) continue;
    tokens += 1;
    if (depth > MAX_DEPTH) return `it is nested more than ${String(MAX_DEPTH)} levels deep`;
    if (tokens > MAX_TOKENS) return `it has more than ${String(MAX_TOKENS)} tokens`;
  }
  return undefined;
}

/** Returns the index of the quote that ends a text, or the end. */
function endOfText(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== QUOTE) index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  return index;
}
