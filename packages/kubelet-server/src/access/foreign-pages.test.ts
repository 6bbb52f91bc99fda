import { describe, expect, it } from 'vitest';
import { createForeignPageCheck } from './foreign-pages.ts';

const check = createForeignPageCheck(['node1', '10.0.0.1', 'fd00::1'], 10_250);
const accepts = (headers: Record<string, string>, method = 'GET'): boolean => check({ method, headers }) === undefined;

describe('a server with a page', () => {
  it('accepts requests of its own page, of addresses that the user opened, and of clients that are no browsers', () => {
    for (const host of ['node1:10250', '10.0.0.1:10250', '[fd00::1]:10250']) {
      expect(accepts({ host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }, 'POST'), host).toBe(true);
      expect(accepts({ host, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })).toBe(true);
    }
    expect(accepts({ host: 'anything' }, 'POST')).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['of another origin', { host: 'node1:10250', origin: 'https://evil.test' }],
    ['of another port', { host: 'node1:10250', origin: 'https://node1' }],
    ['without encryption', { host: 'node1:10250', origin: 'http://node1:10250' }],
    ['of another site', { host: 'node1:10250', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    [
      'by another name',
      { host: 'evil.test:10250', origin: 'https://evil.test:10250', 'sec-fetch-site': 'same-origin' },
    ],
    ['by a name that begins like the own one', { host: 'node1.evil.test:10250', 'sec-fetch-site': 'same-origin' }],
    ['without a port', { host: 'node1', 'sec-fetch-site': 'same-origin' }],
  ])('rejects requests of browsers %s', (_title, headers) => {
    expect(accepts(headers)).toBe(false);
  });
});
