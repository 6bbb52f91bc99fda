import { Lexer } from 'yaml';

/** A YAML parser needs about half a kilobyte for each token. This many are a pod that no API server would store. */
const MAX_TOKENS = 250_000;
const MAX_DEPTH = 100;

/**
 * Looks through YAML text for what would cost a parser too much: ten megabytes of brackets are a file that is read, and gigabytes when parsed. It costs
 * no memory, and ends as soon as a limit is reached.
 *
 * @returns what is too much, or undefined
 */
export function exceedsYamlLimits(text: string): string | undefined {
  let tokens = 0;
  let depth = 0;
  let dashesInARow = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > MAX_TOKENS) return `it has more than ${String(MAX_TOKENS)} tokens`;
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (token === '-' || token === '?') dashesInARow += 1;
    else if (token.trim() !== '') dashesInARow = 0;
    if (depth > MAX_DEPTH || dashesInARow > MAX_DEPTH) return `it is nested more than ${String(MAX_DEPTH)} levels deep`;
  }
  return undefined;
}
