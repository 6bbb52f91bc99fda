import { KubeError } from '@rxlet/kube-api/client';
import { createMemoryKube } from '@rxlet/kube-api/testing';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createTokenManager } from './token-manager.ts';

const account = { namespace: 'ns', name: 'sa' };
const spec = {
  audiences: ['vault'],
  expirationSeconds: 1000,
  boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'u' },
};

function setUp() {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const kube = createMemoryKube();
  let issued = 0;
  kube.onCreateSubresource = ({ body }) => {
    const { spec: requested } = body as { spec: typeof spec };
    issued += 1;
    const expirationTimestamp = new Date(clock.now() + requested.expirationSeconds * 1000).toISOString();
    return { spec: requested, status: { token: `token-${String(issued)}`, expirationTimestamp } };
  };
  const logger = recordingLogger();
  const manager = createTokenManager({ client: kube.main, clock, random: { next: () => 0, hex: () => '' }, logger });
  const away = (): void => {
    kube.onRequest = () => {
      throw new KubeError('Unreachable', 'connection refused');
    };
  };
  return { clock, kube, logger, manager, away };
}

describe('createTokenManager', () => {
  it('requests a token once, and again in the last fifth of its lifetime', async () => {
    const { clock, kube, manager } = setUp();
    expect(await manager.token(account, spec)).toBe('token-1');
    await clock.advance(800_000);
    expect(await manager.token(account, spec)).toBe('token-1');
    await clock.advance(1);
    expect(await manager.token(account, spec)).toBe('token-2');
    expect(kube.requests).toHaveLength(2);
    expect(kube.requests[0]).toMatchObject({
      resource: 'serviceaccounts/token',
      name: 'sa',
      namespace: 'ns',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
    });
  });

  it('replaces a token after a day, however long it lives', async () => {
    const { clock, manager } = setUp();
    const long = { ...spec, expirationSeconds: 90 * 86_400 };
    expect(await manager.token(account, long)).toBe('token-1');
    await clock.advance(86_400_001);
    expect(await manager.token(account, long)).toBe('token-2');
  });

  it('keeps tokens of other audiences, pods and accounts apart', async () => {
    const { manager } = setUp();
    await manager.token(account, spec);
    expect(await manager.token(account, { ...spec, audiences: ['other'] })).toBe('token-2');
    expect(await manager.token({ ...account, uid: 'new' }, spec)).toBe('token-3');
  });

  it('returns a token that is still valid while the API server is unreachable', async () => {
    const { clock, logger, manager, away } = setUp();
    await manager.token(account, spec);
    await clock.advance(900_000);
    away();
    expect(await manager.token(account, spec)).toBe('token-1');
    expect(JSON.stringify(logger.lines)).not.toContain('token-1');
    await clock.advance(200_000);
    await expect(manager.token(account, spec)).rejects.toThrow('expired and refresh failed: connection refused');
  });

  it('asks again for a moment when the API server does not know the pod yet', async () => {
    const { clock, kube, manager } = setUp();
    let rejections = 2;
    kube.onRequest = () => {
      if (rejections-- > 0)
        throw new KubeError('Forbidden', 'node requested token bound to a pod scheduled on a different node');
    };
    const token = manager.token(account, spec);
    await clock.advance(150);
    expect(await token).toBe('token-1');
    rejections = Infinity;
    const rejected = expect(manager.token({ ...account, name: 'other' }, spec)).rejects.toThrow(
      'failed to fetch token: node requested',
    );
    await clock.advance(750);
    await rejected;
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects without a token', async () => {
    const { manager, away } = setUp();
    away();
    await expect(manager.token(account, spec)).rejects.toThrow('failed to fetch token: connection refused');
  });

  it('drops the tokens of a pod, and those that have expired', async () => {
    const { clock, manager } = setUp();
    await manager.token(account, spec);
    await manager.token(account, { ...spec, boundObjectRef: { ...spec.boundObjectRef, uid: 'other' } });
    manager.release('u');
    expect(manager.size).toBe(1);
    await clock.advance(1_000_001);
    manager.dropExpired();
    expect(manager.size).toBe(0);
  });
});
