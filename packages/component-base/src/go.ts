export { parseGoBoolean } from './go-boolean.ts';
export { formatGoDuration, parseGoDuration } from './go-duration.ts';
export { parseInt64 } from './go-integer.ts';
export { goQuote } from './go-quote.ts';
