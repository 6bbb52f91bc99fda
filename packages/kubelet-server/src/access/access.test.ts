import type { IncomingMessage } from 'node:http';
import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { SubjectAccessReview } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { type AccessControlOptions, createAccessControl } from './access-control.ts';
import { alwaysAllow, createWebhookAuthorizer } from './authorizer.ts';
import { bearerTokenOf, createTokenAuthenticator, removeToken, type TokenAuthenticator } from './bearer-token.ts';
import { createExpiringCache } from './expiring-cache.ts';
import type { Identity } from './identity.ts';
import { streamRoutes } from '../streams/stream-routes.ts';
import { nodeAttributes } from './node-attributes.ts';

const message = (headers: Record<string, string> = {}, method = 'GET'): IncomingMessage =>
  ({ method, headers, rawHeaders: Object.entries(headers).flat(), socket: {} }) as unknown as IncomingMessage;
const jane: Identity = { name: 'jane', groups: ['dev'], extra: {} };

describe('nodeAttributes', () => {
  it.each([
    ['GET', '/pods/x', 'get', ['pods', 'proxy']],
    ['HEAD', '/runningpods/', '', ['pods', 'proxy']],
    ['GET', '/explain/default/web', 'get', ['pods', 'proxy']],
    ['GET', '/journal', 'get', ['pods', 'proxy']],
    ['PUT', '/configz', 'update', ['configz', 'proxy']],
    ['POST', '/healthz/ping', 'create', ['healthz', 'proxy']],
    ['GET', '/metrics/cadvisor', 'get', ['metrics']],
    ['GET', '/logs/pods/', 'get', ['log']],
    ['DELETE', '/checkpoint/a/b/c', 'delete', ['checkpoint']],
    ['GET', '/statusz', 'get', ['statusz']],
    ['GET', '/flagz', 'get', ['configz']],
    ['PATCH', '/podsx', 'patch', ['proxy']],
    ['GET', '/exec/default/a/b', 'create', ['proxy']],
    ['POST', '/exec/default/a/b', 'create', ['proxy']],
    ['GET', '/attach/default/a/b', 'create', ['proxy']],
    ['GET', '/portForward/default/a', 'create', ['proxy']],
    ['GET', '/run/default/a/b', 'create', ['proxy']],
    ['GET', '/containerLogs/default/a/b', 'get', ['proxy']],
    ['GET', '/execute', 'get', ['proxy']],
    ['toString', '/exec', '', ['proxy']],
  ])('%s %s', (method, path, verb, subresources) => {
    expect(nodeAttributes(method, path)).toEqual({ verb, subresources });
  });

  it('knows only coarse subresources without the feature', () => {
    expect(nodeAttributes('GET', '/pods', { isFineGrained: false }).subresources).toEqual(['proxy']);
    expect(nodeAttributes('GET', '/stats/summary', { isFineGrained: false }).subresources).toEqual(['stats']);
  });
});

describe('the permission to open a stream to a container', () => {
  const streams = streamRoutes({} as never).map(({ root }) => `${root}/default/pod/c`);

  it.each(streams)('is the verb create for a GET of %s', (path) => {
    expect(nodeAttributes('GET', path)).toEqual({ verb: 'create', subresources: ['proxy'] });
  });

  it.each(streams)('is the verb get for a GET of %s with the behaviour of the kubelet', (path) => {
    expect(nodeAttributes('GET', path, { permitsStreamsByGet: true }).verb).toBe('get');
    expect(nodeAttributes('POST', path, { permitsStreamsByGet: true }).verb).toBe('create');
  });
});

describe('createExpiringCache', () => {
  it('makes one call of those that overlap, keeps the result for its time, and no failure', async () => {
    const clock = createVirtualClock();
    const cache = createExpiringCache<number>(clock, 2, (value) => value * 1000);
    let calls = 0;
    const load = (value: number) => async (): Promise<number> => {
      calls += 1;
      return value;
    };
    expect(await Promise.all([cache.get('a', load(2)), cache.get('a', load(2))])).toEqual([2, 2]);
    expect(calls).toBe(1);
    await clock.advance(1999);
    await cache.get('a', load(2));
    expect(calls).toBe(1);
    await clock.advance(1);
    await cache.get('a', load(2));
    expect(calls).toBe(2);
    await expect(cache.get('b', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.get('b', load(0))).toBe(0);
    expect(await cache.get('b', load(1))).toBe(1);
    await cache.get('c', load(9));
    await cache.get('a', load(2));
    expect(calls).toBe(6);
  });
});

describe('createTokenAuthenticator', () => {
  const create = (
    status: object,
  ): { tokens: TokenAuthenticator; reviewed: string[]; clock: ReturnType<typeof createVirtualClock> } => {
    const clock = createVirtualClock();
    const reviewed: string[] = [];
    const review = (token: string) => {
      reviewed.push(token);
      return Promise.resolve(status);
    };
    return { tokens: createTokenAuthenticator({ review, clock, random: seededRandom(1) }, 120_000), reviewed, clock };
  };

  it('remembers an owner for two minutes', async () => {
    const { tokens, reviewed, clock } = create({ authenticated: true, user: { username: 'jane', groups: ['dev'] } });
    expect(await tokens.authenticate('t', '')).toEqual({ ...jane, uid: undefined });
    await clock.advance(119_999);
    await tokens.authenticate('t', '');
    expect(reviewed).toEqual(['t']);
    await clock.advance(1);
    await tokens.authenticate('t', '');
    expect(reviewed).toEqual(['t', 't']);
  });

  it('remembers no failure', async () => {
    const { tokens, reviewed } = create({ error: 'invalid bearer token' });
    await expect(tokens.authenticate('t', '')).rejects.toThrow('invalid bearer token');
    await expect(tokens.authenticate('t', '')).rejects.toThrow('invalid bearer token');
    expect(reviewed).toHaveLength(2);
    expect(await create({}).tokens.authenticate('t', '')).toBeUndefined();
  });

  it('does not review a token that is too long', async () => {
    const { tokens, reviewed } = create({});
    expect(await tokens.authenticate('x'.repeat(65_537), '')).toBeUndefined();
    expect(reviewed).toEqual([]);
  });
});

describe('the token of a request', () => {
  it.each([
    [{ authorization: 'Bearer abc' }, 'abc'],
    [{ authorization: '  bearer  abc' }, undefined],
    [{ authorization: 'BEARER abc def' }, 'abc'],
    [{ authorization: 'Bearer' }, undefined],
    [{ authorization: 'Basic abc' }, undefined],
    [{ 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.YWJj, v5.channel.k8s.io' }, 'abc'],
    [{ 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.YWJj' }, undefined],
    [{ 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.!, v4.channel.k8s.io' }, undefined],
  ])('in %j is %s', (headers, token) => {
    expect(bearerTokenOf(message(headers))).toBe(token);
  });

  it('is removed from what is passed on', () => {
    const protocol = 'base64url.bearer.authorization.k8s.io.YWJj, v4.channel.k8s.io';
    const request = message({ authorization: 'Bearer x', 'sec-websocket-protocol': protocol });
    removeToken(request);
    expect(request.headers).toEqual({ 'sec-websocket-protocol': 'v4.channel.k8s.io' });
    expect(request.rawHeaders).toContain('v4.channel.k8s.io');
    expect(request.rawHeaders).not.toContain(protocol);
  });
});

describe('createWebhookAuthorizer', () => {
  it('remembers permissions for five minutes and their absence for 30 seconds', async () => {
    const clock = createVirtualClock();
    const reviews: SubjectAccessReview['spec'][] = [];
    const review = (spec: SubjectAccessReview['spec']) => {
      reviews.push(spec);
      return Promise.resolve({ allowed: spec.resourceAttributes?.subresource === 'pods' });
    };
    const authorizer = createWebhookAuthorizer(
      { review, clock },
      { nodeName: 'node1', cacheAuthorizedTtlMs: 300_000, cacheUnauthorizedTtlMs: 30_000 },
    );
    expect(await authorizer.isAllowed(jane, 'get', 'pods')).toBe(true);
    expect(await authorizer.isAllowed(jane, '', 'proxy')).toBe(false);
    expect(reviews).toEqual([
      {
        user: 'jane',
        groups: ['dev'],
        resourceAttributes: { name: 'node1', resource: 'nodes', subresource: 'pods', version: 'v1', verb: 'get' },
      },
      {
        user: 'jane',
        groups: ['dev'],
        resourceAttributes: { name: 'node1', resource: 'nodes', subresource: 'proxy', version: 'v1' },
      },
    ]);
    await clock.advance(30_000);
    await authorizer.isAllowed(jane, 'get', 'pods');
    expect(reviews).toHaveLength(2);
    await authorizer.isAllowed(jane, '', 'proxy');
    expect(reviews).toHaveLength(3);
    await clock.advance(270_000);
    await authorizer.isAllowed(jane, 'get', 'pods');
    expect(reviews).toHaveLength(4);
    await authorizer.isAllowed({ ...jane, uid: '7', extra: { Key: ['v'] } }, 'get', 'pods');
    expect(reviews[4]).toMatchObject({ uid: '7', extra: { key: ['v'] } });
  });

  it('does not take a permission that is denied for one', async () => {
    const review = () => Promise.resolve({ allowed: true, denied: true });
    const options = { nodeName: 'node1', cacheAuthorizedTtlMs: 0, cacheUnauthorizedTtlMs: 0 };
    const authorizer = createWebhookAuthorizer({ review, clock: createVirtualClock() }, options);
    expect(await authorizer.isAllowed(jane, 'get', 'pods')).toBe(false);
  });
});

describe('createAccessControl', () => {
  const options: AccessControlOptions = { anonymous: false, isFineGrained: true };
  const tokens: TokenAuthenticator = {
    authenticate: (token) => (token === 'good' ? Promise.resolve(jane) : Promise.reject(new Error('bad token'))),
  };
  const seen: string[] = [];
  const recorder = {
    isAllowed: ({ name, groups }: Identity) => (seen.push(`${name} ${groups.join()}`), Promise.resolve(true)),
  };

  it('knows clients by certificate or token, and lets in no others', async () => {
    const access = createAccessControl(
      { tokens, authorizer: recorder, clock: createVirtualClock(), logger: noopLogger },
      options,
    );
    expect(await access.check(message(), '/pods')).toEqual({ status: 401, body: 'Unauthorized' });
    expect(await access.check(message({ authorization: 'Bearer bad' }), '/pods')).toMatchObject({ status: 401 });
    expect(await access.check(message({ authorization: 'Basic eDp5' }), '/pods')).toMatchObject({ status: 401 });
    expect(seen).toEqual([]);
    expect(await access.check(message({ authorization: 'Bearer good' }), '/pods')).toBeUndefined();
    const byCertificate = createAccessControl(
      {
        certificateOwner: () => ({ ...jane, name: 'cert' }),
        tokens,
        authorizer: recorder,
        clock: createVirtualClock(),
        logger: noopLogger,
      },
      options,
    );
    expect(await byCertificate.check(message({ authorization: 'Bearer bad' }), '/pods')).toBeUndefined();
    expect(seen).toEqual(['jane dev,system:authenticated', 'cert dev,system:authenticated']);
  });

  it('lets in clients without credentials as anonymous, where that is wanted, but no wrong ones', async () => {
    seen.length = 0;
    const access = createAccessControl(
      { tokens, authorizer: recorder, clock: createVirtualClock(), logger: noopLogger },
      { ...options, anonymous: true },
    );
    expect(await access.check(message(), '/pods')).toBeUndefined();
    expect(seen).toEqual(['system:anonymous system:unauthenticated']);
    expect(await access.check(message({ authorization: 'Bearer bad' }), '/pods')).toMatchObject({ status: 401 });
    const withCertificate = createAccessControl(
      {
        certificateOwner: () => 'invalid',
        tokens,
        authorizer: recorder,
        clock: createVirtualClock(),
        logger: noopLogger,
      },
      { ...options, anonymous: true },
    );
    expect(await withCertificate.check(message(), '/pods')).toMatchObject({ status: 401 });
    expect(await withCertificate.check(message({ authorization: 'Bearer good' }), '/pods')).toBeUndefined();
    expect(seen.at(-1)).toBe('jane dev,system:authenticated');
  });

  it('tries the subresources in their order, and names them', async () => {
    const reviews: string[] = [];
    const authorizer = {
      isAllowed: (_: Identity, verb: string, subresource: string) => (
        reviews.push(`${verb} ${subresource}`),
        Promise.resolve(false)
      ),
    };
    const access = createAccessControl(
      { tokens, authorizer, clock: createVirtualClock(), logger: noopLogger },
      options,
    );
    expect(await access.check(message({ authorization: 'Bearer good' }, 'POST'), '/pods')).toEqual({
      status: 403,
      body: 'Forbidden (user=jane, verb=create, resource=nodes, subresource(s)=[pods proxy])\n',
    });
    expect(reviews).toEqual(['create pods', 'create proxy']);
  });

  it('lets in no one when the permission is not known', async () => {
    const logger = recordingLogger();
    const authorizer = { isAllowed: () => Promise.reject(new Error('no API server')) };
    const access = createAccessControl({ tokens, authorizer, clock: createVirtualClock(), logger }, options);
    expect(await access.check(message({ authorization: 'Bearer good' }), '/exec/a/b/c')).toEqual({
      status: 500,
      body: 'Authorization error (user=jane, verb=create, resource=nodes, subresource=proxy)',
    });
    expect(logger.lines).toHaveLength(1);
  });

  it('reviews few of the wrong tokens of one address, logs them once a minute, and lets in others meanwhile', async () => {
    const clock = createVirtualClock();
    const logger = recordingLogger();
    const reviewed: string[] = [];
    const review = async (token: string) => {
      reviewed.push(token);
      if (token !== 'good') throw new Error('invalid bearer token');
      return { authenticated: true, user: { username: 'jane' } };
    };
    const access = createAccessControl(
      {
        tokens: createTokenAuthenticator({ review, clock, random: seededRandom(1) }, 120_000),
        ...{ authorizer: alwaysAllow, clock, logger },
      },
      options,
    );
    const from = (remoteAddress: string, token: string) =>
      Object.assign(message({ authorization: `Bearer ${token}` }), { socket: { remoteAddress } });
    const statuses: (number | undefined)[] = [];
    for (let index = 0; index < 2000; index += 1) {
      statuses.push((await access.check(from('10.0.0.66', `wrong-${String(index)}`), '/pods'))?.status);
    }
    expect([statuses.filter((status) => status === 401).length, reviewed.length]).toEqual([10, 10]);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1990);
    expect(await access.check(from('10.0.0.1', 'good'), '/pods')).toBeUndefined();
    expect(logger.lines).toMatchObject([{ message: 'requests could not be authenticated', fields: { times: 1 } }]);
    await clock.advance(60_000);
    await access.check(from('10.0.0.66', 'wrong'), '/pods');
    expect(logger.lines).toMatchObject([{}, { fields: { times: 2000 } }]);
    // A token that is known needs no review.
    reviewed.length = 0;
    expect(await access.check(from('10.0.0.66', 'good'), '/pods')).toBeUndefined();
    expect(reviewed).toEqual([]);
  });

  it('logs the beginning of a path: clients without permission choose its length', async () => {
    const logger = recordingLogger();
    const failing = { authenticate: () => Promise.reject(new Error('no API server')) };
    const ports = { tokens: failing, authorizer: alwaysAllow, clock: createVirtualClock(), logger };
    const access = createAccessControl(ports, options);
    await access.check(message({ authorization: 'Bearer any' }), `/exec/${'a'.repeat(1_000_000)}`);
    expect(JSON.stringify(logger.lines).length).toBeLessThan(1000);
    expect(logger.lines[0]?.fields).toMatchObject({ path: expect.stringMatching(/^\/exec\/a+…$/) as string });
  });

  it('holds few requests of one address while the API server does not answer, and lets in others meanwhile', async () => {
    const clock = createVirtualClock();
    const { promise, resolve } = Promise.withResolvers<object>();
    const review = (token: string) =>
      token === 'good' ? Promise.resolve({ authenticated: true, user: { username: 'jane' } }) : promise;
    const access = createAccessControl(
      {
        tokens: createTokenAuthenticator({ review, clock, random: seededRandom(1) }, 120_000),
        ...{ authorizer: alwaysAllow, clock, logger: noopLogger },
      },
      options,
    );
    const from = (remoteAddress: string, token: string) =>
      Object.assign(message({ authorization: `Bearer ${token}` }), { socket: { remoteAddress } });
    const denials: (number | undefined)[] = [];
    const all = Promise.all(
      Array.from({ length: 5000 }, async () => {
        denials.push((await access.check(from('10.0.0.66', 'same'), '/pods'))?.status);
      }),
    );
    await clock.settle();
    expect(denials).toEqual(Array.from({ length: 4872 }, () => 429));
    expect(await access.check(from('10.0.0.1', 'good'), '/pods')).toBeUndefined();
    resolve({});
    await all;
    expect(denials.filter((status) => status === 401)).toHaveLength(128);
  });

  it('lets in everybody who is known with AlwaysAllow', async () => {
    const access = createAccessControl(
      { tokens, authorizer: alwaysAllow, clock: createVirtualClock(), logger: noopLogger },
      options,
    );
    expect(await access.check(message({ authorization: 'Bearer good' }), '/exec/a/b/c')).toBeUndefined();
    expect(await access.check(message(), '/exec/a/b/c')).toMatchObject({ status: 401 });
  });
});
