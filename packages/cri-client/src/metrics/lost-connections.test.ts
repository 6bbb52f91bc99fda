import { recordingMetrics } from '@rxlet/component-base/testing';
import { noopLogger } from '@rxlet/component-base';
import { join } from 'node:path';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { ConnectionState } from '../connection-state.ts';
import { stateIs, testClient } from '../test-support/test-client.ts';
import { startCriServer, temporaryFolder } from '../test-support/test-servers.ts';
import { countLostConnections } from './lost-connections.ts';

describe('countLostConnections', () => {
  it('counts connections that were ready, and no failed attempts', () => {
    const metrics = recordingMetrics();
    const states = [
      'idle',
      'connecting',
      'idle',
      'connecting',
      'ready',
      'connecting',
      'ready',
      'idle',
      'ready',
    ] as const;
    const states$ = of(...states.map((kind): ConnectionState => ({ kind, sinceMs: 0 })));
    countLostConnections(states$, 'unix:///x', metrics, noopLogger);
    expect(Object.fromEntries(metrics.values)).toEqual({
      'cri_client_lost_connections_total{endpoint="unix:///x"}': 2,
    });
  });

  it('counts for a client with metrics, but not its own closing', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'cri.sock');
    const metrics = recordingMetrics();
    const lost = `cri_client_lost_connections_total{endpoint="unix://${path}"}`;
    const client = testClient(path, { metrics });
    const first = await startCriServer(path, {});
    await client.runtime.version({}).catch(() => undefined);
    await first[Symbol.asyncDispose]();
    await stateIs(client.state$, 'unavailable');
    expect(metrics.values.get(lost)).toBe(1);
    await using _second = await startCriServer(path, {});
    await stateIs(client.state$, 'ready');
    await client[Symbol.asyncDispose]();
    expect(metrics.values.get(lost)).toBe(1);
  });
});
