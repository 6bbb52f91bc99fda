import { describe, expect, it } from 'vitest';
import { browserRequestProblem, isBrowserRequest } from './browser-request.ts';

const OWN = 'http://127.0.0.1:8080';
const check = (headers: Record<string, string | string[]>, method = 'GET'): boolean =>
  browserRequestProblem({ method, headers }, [OWN]) === undefined;

describe('a request of a browser', () => {
  it.each<[string, Record<string, string>, string?]>([
    ['of an own page', { origin: OWN, 'sec-fetch-site': 'same-origin' }, 'POST'],
    ['for an address that the user opened', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['of a program', {}, 'POST'],
  ])('%s is accepted', (_title, headers, method) => {
    expect(check(headers, method)).toBe(true);
  });

  it.each<[string, Record<string, string | string[]>, string?]>([
    ['of another origin', { origin: 'http://evil.test' }],
    ['of an origin that begins like the own one', { origin: `${OWN}.evil.test` }],
    ['of an origin that ends like the own one', { origin: `http://evil.test/${OWN}` }],
    ['of another port', { origin: 'http://127.0.0.1:80' }],
    ['of another scheme', { origin: 'https://127.0.0.1:8080' }],
    ['of a sandboxed page', { origin: 'null' }],
    ['with two origins', { origin: [OWN, OWN] }],
    ['with two origins in one line', { origin: `${OWN}, ${OWN}` }],
    ['from another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['from another port of the host', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    ['for a script that the user did not open', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'no-cors' }],
    ['that changes something without a page', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 'POST'],
  ])('%s is rejected', (_title, headers, method) => {
    expect(check(headers, method)).toBe(false);
  });

  it('is recognised by the header fields that only browsers send', () => {
    const isOfBrowser = (headers: Record<string, string>): boolean => isBrowserRequest({ method: 'GET', headers });
    expect([
      isOfBrowser({ origin: OWN }),
      isOfBrowser({ 'sec-fetch-site': 'none' }),
      isOfBrowser({ 'user-agent': 'curl' }),
    ]).toEqual([true, true, false]);
  });
});
