import { describe, expect, it } from 'vitest';
import type { HTTPGetAction } from '@rxlet/kube-api';
import { httpGetRequest } from './http-get-request.ts';

const container = { ports: [{ name: 'web', containerPort: 8080 }, { containerPort: 9090 }] };
const build = (action: Partial<HTTPGetAction>) =>
  httpGetRequest({ port: 80, ...action }, container, { hostname: '10.0.0.1', userAgent: 'kube-lifecycle/1.36' });

describe('httpGetRequest', () => {
  it('applies defaults', () => {
    expect(build({})).toEqual({
      scheme: 'http',
      hostname: '10.0.0.1',
      port: 80,
      path: '/',
      headers: [
        ['User-Agent', 'kube-lifecycle/1.36'],
        ['Accept', '*/*'],
      ],
    });
    expect(build({ scheme: 'HTTPS', host: '[fd00::1]', path: '/x' })).toMatchObject({
      scheme: 'https',
      hostname: 'fd00::1',
      path: '/x',
    });
  });

  it('repeats, replaces and omits headers', () => {
    const headers = (httpHeaders: HTTPGetAction['httpHeaders']) => build({ httpHeaders }).headers;
    expect(
      headers([
        { name: 'X-A', value: '1' },
        { name: 'x-a', value: '' },
        { name: 'user-agent', value: 'me' },
        { name: 'accept', value: 'text/html' },
      ]),
    ).toEqual([
      ['X-A', '1'],
      ['x-a', ''],
      ['user-agent', 'me'],
      ['accept', 'text/html'],
    ]);
    expect(
      headers([
        { name: 'User-Agent', value: '' },
        { name: 'Accept', value: '' },
      ]),
    ).toEqual([]);
    const request = build({
      httpHeaders: [
        { name: 'host', value: 'example.com' },
        { name: 'Content-Length', value: '5' },
      ],
    });
    expect(request.hostHeader).toBe('example.com');
    expect(request.headers.map(([name]) => name)).toEqual(['User-Agent', 'Accept']);
  });

  it.each([
    ['web', 8080],
    ['9091', 9091],
    [65535, 65535],
  ])('finds port %j', (port, want) => expect(build({ port }).port).toBe(want));

  it.each([
    ['nope', 'strconv.Atoi: parsing "nope": invalid syntax'],
    [0, 'invalid port number: 0'],
    [65536, 'invalid port number: 65536'],
    ['-1', 'invalid port number: -1'],
  ])('rejects port %j', (port, message) => expect(() => build({ port })).toThrow(new Error(message)));
});
