import { describe, expect, it } from 'vitest';
import { httpGet } from './http-get.ts';
import { HttpError, type HttpGetRequest, requestUrl } from './http-port.ts';
import { scriptedHttp } from './scripted-http.ts';

const request: HttpGetRequest = {
  scheme: 'http',
  hostname: '10.0.0.1',
  port: 8080,
  path: '/a/b?c',
  headers: [['X-A', '1']],
};
const options = { maxBodyBytes: 100 };

describe('httpGet', () => {
  it.each([
    ['a path', 302, '/next?d=e', 'http://10.0.0.1:8080/next?d=e'],
    ['a relative path', 301, '../c', 'http://10.0.0.1:8080/c'],
    ['another port of the host', 303, 'http://10.0.0.1:9090/', 'http://10.0.0.1:9090/'],
    ['the default port', 307, 'http://10.0.0.1', 'http://10.0.0.1:80/'],
    ['https', 308, 'https://10.0.0.1/x', 'https://10.0.0.1:443/x'],
  ])('follows a redirect to %s', async (_what, status, location, want) => {
    const http = scriptedHttp((sent) => (sent === request ? { status, location } : { status: 500 }));
    expect((await httpGet(http, request, options)).status).toBe(500);
    expect(http.requests.map(requestUrl)).toEqual(['http://10.0.0.1:8080/a/b?c', want]);
    expect(http.requests[1]?.headers).toEqual([
      ['X-A', '1'],
      ['Referer', 'http://10.0.0.1:8080/a/b?c'],
    ]);
  });

  it.each([
    ['to another host', 302, 'http://10.0.0.2:8080/'],
    ['to another host without a scheme', 302, '//example.com/'],
    ['without a location', 302, undefined],
    ['with an empty one', 302, ''],
    ['to choose from', 300, '/next'],
    ['that is none', 304, '/next'],
  ])('returns a redirect %s as the response', async (_what, status, location) => {
    const http = scriptedHttp(() => ({ status, location }));
    expect(await httpGet(http, request, options)).toMatchObject({ status, location });
    expect(http.requests).toHaveLength(1);
  });

  it('keeps a virtual host until the server names a host', async () => {
    const locations = ['/relative', 'http://10.0.0.1:8080/absolute', undefined];
    const http = scriptedHttp(() => ({ status: 302, location: locations.shift() }));
    await httpGet(http, { ...request, hostHeader: 'example.com' }, options);
    expect(http.requests.map(({ hostHeader }) => hostHeader)).toEqual(['example.com', 'example.com', undefined]);
  });

  it('sends ten requests at most', async () => {
    const endless = scriptedHttp((sent) => ({ status: 302, location: `${sent.path}x` }));
    // As in Go, the URL is spelled as the server sent it.
    const error = new HttpError('Redirect', `Get "/a/b?c${'x'.repeat(10)}": stopped after 10 redirects`);
    await expect(httpGet(endless, request, options)).rejects.toEqual(error);
    expect(endless.requests).toHaveLength(10);

    let left = 9;
    const long = scriptedHttp(() => (left-- > 0 ? { status: 302, location: '/' } : { status: 200 }));
    expect((await httpGet(long, request, options)).status).toBe(200);
  });

  it('sends a Referer, unless the redirect leaves TLS or the request sets another one', async () => {
    const referers = async (location: string, more: Partial<HttpGetRequest> = {}): Promise<unknown[]> => {
      const locations = [location, '/last', undefined];
      const http = scriptedHttp(() => ({ status: 302, location: locations.shift() }));
      await httpGet(http, { ...request, headers: [], ...more }, options);
      return http.requests.map(({ headers }) => headers);
    };
    const from = (url: string) => [['Referer', url]];
    expect(await referers('/x')).toEqual([[], from('http://10.0.0.1:8080/a/b?c'), from('http://10.0.0.1:8080/x')]);
    expect(await referers('http://10.0.0.1/', { scheme: 'https' })).toEqual([[], [], from('http://10.0.0.1:80/')]);
    const own = from('me');
    expect(await referers('/x', { headers: [['referer', 'me']] })).toEqual(
      [own, own, own].map(() => [['referer', 'me']]),
    );
  });

  it('names the URL that failed', async () => {
    const refused = new HttpError('Transport', 'dial tcp [fd00::1]:8080: connect: connection refused');
    const http = scriptedHttp(() => Promise.reject(refused));
    await expect(httpGet(http, { ...request, hostname: 'fd00::1' }, options)).rejects.toEqual(
      new HttpError(
        'Transport',
        'Get "http://[fd00::1]:8080/a/b?c": dial tcp [fd00::1]:8080: connect: connection refused',
      ),
    );
  });
});
