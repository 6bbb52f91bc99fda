import { expect, it } from 'vitest';
import { withFewEscapes } from './plain-messages.ts';

it.each([
  [
    'cannot reach unix:///run/x.sock: 100% wrong? "grün" \n',
    /^cannot reach unix:\/\/\/run\/x.sock: 100%25 wrong\? "gr%C3%BCn" %0A$/,
  ],
  ['%3A', /^%253A$/],
  ['~\u007f', /^~%7F$/],
  [' not found: ', /^%20not found:%20$/],
])('escapes of %j only what gRPC requires', (message, expected) => {
  const escaped = withFewEscapes(encodeURIComponent(message));
  expect(escaped).toMatch(expected);
  expect(decodeURIComponent(escaped)).toBe(message);
});
