/** A YAML parser needs about half a kilobyte for each token. So many are a pod that no API server would store. */
const MAX_TOKENS = 250_000;
const MAX_DEPTH = 100;
/** The parser searches the document for the anchor of each alias. */
const MAX_ALIASES = 5_000;

/**
 * Creates a check of the tokens of a YAML text before they are parsed: ten megabytes of brackets take gigabytes when parsed. It takes the tokens in order
 * and returns the exceeded limit, if any.
 */
export function createYamlLimits(): (token: string) => string | undefined {
  let tokens = 0;
  let depth = 0;
  let dashesInARow = 0;
  let aliases = 0;
  return (token) => {
    tokens += 1;
    if (tokens > MAX_TOKENS) return `it has more than ${String(MAX_TOKENS)} tokens`;
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (token === '-' || token === '?') dashesInARow += 1;
    else if (dashesInARow > 0 && token.trim() !== '') dashesInARow = 0;
    if (token.startsWith('*')) aliases += 1;
    if (aliases > MAX_ALIASES) return `it has more than ${String(MAX_ALIASES)} aliases`;
    return depth > MAX_DEPTH || dashesInARow > MAX_DEPTH
      ? `it is nested more than ${String(MAX_DEPTH)} levels deep`
      : undefined;
  };
}
