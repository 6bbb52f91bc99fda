import { KubeError } from '@rxlet/kube-api/client';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createServerState } from './server-state.ts';

const unreachable = new KubeError('Unreachable', 'connection refused');
const denied = new KubeError('Forbidden', 'not yours', { code: 403 });

function createState() {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const lines = (): string[] =>
    logger.lines.map(({ level, message, fields }) => [level, message, fields['error']].filter(Boolean).join(' | '));
  return { clock, lines, state: createServerState(clock, logger) };
}

describe('the state of an API server', () => {
  it('logs the begin and the end of an outage, whatever the number of requests', () => {
    const { state, lines } = createState();
    for (let count = 0; count < 1000; count += 1) state.requestFailed(unreachable);
    state.requestSucceeded();
    state.requestSucceeded();
    expect(lines().filter((line) => !line.startsWith('debug'))).toEqual([
      'warn | cannot use the API server; requests are repeated | connection refused',
      'info | the API server answers again',
    ]);
  });

  it('takes the rejection of one request for an answer', () => {
    const { state, lines } = createState();
    state.requestFailed(unreachable);
    state.requestFailed(denied);
    expect(lines().at(-1)).toBe('info | the API server answers again');
  });

  it('logs one that comes and goes once a minute', async () => {
    const { clock, state, lines } = createState();
    for (let second = 0; second < 121; second += 1) {
      state.requestFailed(new KubeError('TooManyRequests', 'busy', { code: 429 }));
      state.requestSucceeded();
      await clock.advance(1000);
    }
    expect(lines().filter((line) => line.startsWith('warn'))).toHaveLength(3);
    expect(lines().filter((line) => line.startsWith('info'))).toHaveLength(3);
  });

  it('leaves failures of one object to the caller', () => {
    const { state, lines } = createState();
    state.requestFailed(denied);
    state.requestFailed(new Error('cancelled'));
    expect(lines()).toEqual([]);
  });

  it('logs the failure of the watches of one resource once', () => {
    const { state, lines } = createState();
    for (let index = 0; index < 300; index += 1) state.watchFailed('secrets', denied, { resource: 'secrets' });
    state.watchFailed('pods', denied, { resource: 'pods' });
    state.requestSucceeded();
    state.watchConnected('secrets');
    expect(lines().filter((line) => !line.startsWith('debug'))).toEqual([
      'warn | cannot watch; the watch is repeated | not yours',
      'warn | cannot watch; the watch is repeated | not yours',
      'info | the watch is connected again',
    ]);
  });
});
