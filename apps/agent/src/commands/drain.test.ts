import type { HttpEndpoint } from '@rxlet/agent-api/http';
import type { DrainStatus } from '@rxlet/node-shutdown';
import { systemClock } from '@rxlet/component-base';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drain, type DrainOptions } from './drain.ts';
import { type RecordingTerminal, recordingTerminal, startFakeAgent } from './test-support.ts';

/** An agent whose drain has these states, one for each request. */
async function setup(...states: readonly DrainStatus[]) {
  const requests: string[] = [];
  const left = [...states];
  const endpoint: HttpEndpoint = {
    path: 'drain',
    methods: ['GET', 'POST'],
    produces: 'application/json',
    isLocal: true,
    handle({ method, parameters }) {
      requests.push(`${method} ${parameters.toString()}`.trim());
      return { contentType: 'application/json', body: JSON.stringify(left.length > 1 ? left.shift() : left[0]) };
    },
  };
  const agent = await startFakeAgent({ endpoints: [endpoint] });
  onTestFinished(() => agent[Symbol.asyncDispose]());
  const terminal: RecordingTerminal = recordingTerminal();
  const run = (options: Partial<DrainOptions> = {}): Promise<void> =>
    drain(agent.connection, terminal, systemClock, { cancel: false, ...options });
  return { run, terminal, requests };
}

describe('rxlet drain', () => {
  it('prints how many pods are left until all have ended', async () => {
    const { run, terminal, requests } = await setup(
      { phase: 'draining', podsLeft: 3 },
      { phase: 'draining', podsLeft: 3 },
      { phase: 'draining', podsLeft: 1 },
      { phase: 'drained', podsLeft: 0 },
    );
    await run({ grace: '30s' });
    expect(terminal.printed).toEqual([
      '3 pods left',
      '1 pod left',
      'The node is drained. It takes pods again after "rxlet drain --cancel" or a restart of the agent.',
    ]);
    expect(requests).toEqual(['POST grace=30s', 'GET', 'GET', 'GET']);
  });

  it('ends a drain with --cancel', async () => {
    const { run, terminal, requests } = await setup({ phase: 'none', podsLeft: 0 });
    await run({ cancel: true });
    expect(requests).toEqual(['POST cancel=true']);
    expect(terminal.printed).toEqual(['The node takes pods again.']);
  });

  it('reports that another command has cancelled the drain', async () => {
    const { run, terminal } = await setup({ phase: 'draining', podsLeft: 1 }, { phase: 'none', podsLeft: 1 });
    await run();
    expect(terminal.printed.at(-1)).toBe('The drain was cancelled.');
  });
});
