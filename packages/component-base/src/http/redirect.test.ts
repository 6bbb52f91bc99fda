import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HttpGetRequest, requestUrl } from './http-port.ts';
import { redirectedRequest } from './redirect.ts';

const request: HttpGetRequest = { scheme: 'http', hostname: 'web', port: 8080, path: '/a/b?c', headers: [] };
const target = (location: string, from = request): string | undefined => {
  const next = redirectedRequest(from, location);
  return next && requestUrl(next);
};

describe('redirectedRequest', () => {
  it.each([
    ['/x', 'http://web:8080/x'],
    ['x?y=1#z', 'http://web:8080/a/x?y=1'],
    ['../x/./y/..', 'http://web:8080/x/'],
    ['?d', 'http://web:8080/a/b?d'],
    ['#z', 'http://web:8080/a/b?c'],
    ['http://web', 'http://web:80/'],
    ['HTTPS://web?q', 'https://web:443/?q'],
    ['//web:1/x', 'http://web:1/x'],
    ['http://user:secret@web/x', 'http://web:80/x'],
    ['http://web//x', 'http://web:80//x'],
    [' //[', 'http://web:8080/a/%20//['],
    ['/ä b', 'http://web:8080/%C3%A4%20b'],
    // Browsers treat a backslash as a slash, and the rest as a host.
    ['/\\evil', 'http://web:8080/%5Cevil'],
    ['\\\\evil', 'http://web:8080/a/%5C%5Cevil'],
  ])('follows %s: %s', (location, want) => expect(target(location)).toBe(want));

  it('supports IPv6', () => {
    const six = { ...request, hostname: 'fd00::1' };
    expect(target('http://[fd00::1]:9/x', six)).toBe('http://[fd00::1]:9/x');
    expect(target('http://[fd00::1]', six)).toBe('http://[fd00::1]:80/');
    expect(target('http://[fd00::2]/', six)).toBeUndefined();
  });

  it.each([
    'http://WEB/',
    'http://web.example/',
    '//other',
    'mailto:web',
    'http:/x',
    'http://web@other/',
    'http://%77eb/',
  ])('does not follow to another host: %s', (location) => expect(target(location)).toBeUndefined());

  it('compares hosts by their spelling', () => {
    expect(target('http://127.1/', { ...request, hostname: '127.0.0.1' })).toBeUndefined();
    expect(target('http://2130706433/', { ...request, hostname: '127.0.0.1' })).toBeUndefined();
  });

  it.each([
    ['http://web:x/', 'invalid port ":x" after host'],
    ['/%zz', 'invalid URL escape "%zz"'],
    ['/%', 'invalid URL escape "%"'],
    ['web:80/x', undefined],
    ['10.0.0.1:80/x', 'first path segment in URL cannot contain colon'],
    ['/a\u0001', 'net/url: invalid control character in URL'],
  ])('rejects an invalid URL: %s', (location, why) => {
    if (why === undefined) expect(target(location)).toBeUndefined();
    else expect(() => target(location)).toThrow(new RegExp(`failed to parse Location header .*: parse .*: ${why}$`));
  });

  it('rejects other schemes', () => {
    const message = 'Get "ftp://web/": unsupported protocol scheme "ftp"';
    expect(() => target('ftp://web/')).toThrow(expect.objectContaining({ reason: 'Redirect', message }));
  });

  it('returns a request to the same host, or none, for any location', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.string().map((text) => `/${text}`),
        ),
        (location) => {
          try {
            const next = redirectedRequest(request, location);
            if (next === undefined) return;
            expect(next.hostname).toBe('web');
            expect(next.path).toMatch(/^\/[\u0021-\u007e]*$/);
          } catch (error) {
            expect(error).toMatchObject({ name: 'HttpError', reason: 'Redirect' });
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
