import { EndpointError, type HttpEndpoint } from '@rxlet/agent-api/http';
import { systemClock } from '@rxlet/component-base';
import type { Explanation } from '@rxlet/journal/model';
import { describe, expect, it, onTestFinished } from 'vitest';
import { explain, type ExplainOptions } from './explain.ts';
import { recordingTerminal, runningPod, startFakeAgent } from './test-support.ts';

const explanation: Explanation = {
  pod: { uid: 'u1', namespace: 'default', name: 'web-node1' },
  state: 'failing',
  sentence: 'could not pull image "web:1" for container "app"; next try in 20s',
  sinceMs: 0,
  waitsFor: [
    { kind: 'image.backoff', sinceMs: 0, sentence: 'could not pull image "web:1"' },
    { kind: 'container.init', sinceMs: 0, sentence: 'waits for init container "init" to complete' },
  ],
  lastError: { message: 'no such image\u001b[31m\nsecond line', code: 'NotFound', atMs: 0 },
  help: ['restart it now: rxlet restart POD -c app'],
  steps: [{ kind: 'image.pull', container: 'app', startMs: 3_661_000, durationMs: 1_500, result: 'failed' }],
};

async function setup(answers: Readonly<Record<string, unknown>>) {
  const endpoint: HttpEndpoint = {
    path: 'explain',
    methods: ['GET'],
    maxSegments: 2,
    handle({ segments }) {
      const answer = answers[segments.join('/')];
      if (answer === undefined) throw new EndpointError(404, 'the journal has no such pod');
      return { contentType: 'application/json', body: JSON.stringify(answer) };
    },
  };
  const agent = await startFakeAgent({ endpoints: [endpoint] });
  onTestFinished(() => agent[Symbol.asyncDispose]());
  agent.put(runningPod('web'));
  const terminal = recordingTerminal();
  const run = (name?: string, options: Partial<ExplainOptions> = {}): Promise<void> =>
    explain(agent.connection, terminal, { ...systemClock, now: () => 10_000 }, name, {
      namespace: 'default',
      output: 'text',
      watch: false,
      ...options,
    });
  return { run, terminal };
}

describe('rxlet explain', () => {
  it('prints the explanation of a pod, whose text cannot change the terminal', async () => {
    const { run, terminal } = await setup({ 'default/web-node1': explanation });
    await run('pod/web');
    expect(terminal.printed).toEqual([
      'Pod default/web-node1 could not pull image "web:1" for container "app"; next try in 20s',
      '',
      'Since:      10s ago',
      'Also:       waits for init container "init" to complete',
      'Last error: NotFound: no such image^[[31m',
      '            second line (10s ago)',
      'Help:       restart it now: rxlet restart web-node1 -c app',
      '',
      'Last steps',
      '  01:01:01     1.5s  image.pull app failed',
    ]);
  });

  it('prints the node and the pods that are not as desired', async () => {
    const node = {
      node: 'node1',
      sentence: 'the node has problems: runtime',
      problems: [{ part: 'runtime', message: 'gone' }],
    };
    const { run, terminal } = await setup({ '': { node, podCount: 3, pods: [explanation] } });
    await run();
    expect(terminal.printed).toEqual([
      'Node node1: the node has problems: runtime; 2 of 3 pods are as desired',
      '  runtime: gone',
      '',
      'default/web-node1 could not pull image "web:1" for container "app"; next try in 20s',
      '  last error: no such image^[[31m',
    ]);
  });

  it('prints JSON with -o json', async () => {
    const { run, terminal } = await setup({ 'default/web-node1': explanation });
    await run('web', { output: 'json' });
    expect(JSON.parse(terminal.printed.join('\n'))).toEqual(explanation);
  });

  it('explains a pod that is gone, by its full name', async () => {
    const { run, terminal } = await setup({ 'default/old': { ...explanation, sentence: 'is gone from the node' } });
    await run('old');
    expect(terminal.printed[0]).toBe('Pod default/web-node1 is gone from the node');
    await expect(run('none')).rejects.toThrow('there is no pod "none" in namespace "default"; there are: web-node1');
  });

  it('prints the explanation again when it changes with --watch, until interrupted', async () => {
    const answers: Record<string, unknown> = { 'default/web-node1': explanation };
    const { run, terminal } = await setup(answers);
    const watching = run('web', { watch: true });
    await terminal.until(10);
    answers['default/web-node1'] = { ...explanation, state: 'ok', sentence: 'runs', waitsFor: [], help: [], steps: [] };
    await terminal.until(12);
    expect(terminal.printed.slice(10, 12)).toEqual(['', 'Pod default/web-node1 runs']);
    terminal.interrupt();
    await watching;
  });
});
