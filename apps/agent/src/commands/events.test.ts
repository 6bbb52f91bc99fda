import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { printEvents } from './events.ts';
import {
  type FakeAgent,
  type RecordingTerminal,
  recordingTerminal,
  runningPod,
  startFakeAgent,
} from './test-support.ts';

describe('printEvents', () => {
  let agent: FakeAgent;
  let terminal: RecordingTerminal;
  beforeEach(async () => {
    agent = await startFakeAgent();
    terminal = recordingTerminal();
  });
  afterEach(() => agent[Symbol.asyncDispose]());
  const record = (name: string, reason: string, namespace = 'default'): void =>
    agent.events.event({ apiVersion: 'v1', kind: 'Pod', namespace, name }, 'Normal', reason, `${reason} it\nand more`);
  const events = (watch = false, namespace?: string): Promise<void> =>
    printEvents(agent.connection, terminal, agent.clock, { watch, namespace });

  it('lists what happened, the latest last', async () => {
    record('web', 'Pulled');
    await agent.clock.advance(30_000);
    record('web', 'Started');
    await agent.clock.advance(30_000);
    record('web', 'Pulled');
    await agent.clock.advance(12_000);
    await events();
    expect(terminal.printed).toEqual([
      'NAMESPACE   LAST SEEN           TYPE     REASON    OBJECT    MESSAGE',
      'default     42s                 Normal   Started   pod/web   Started it...',
      'default     12s (x2 over 72s)   Normal   Pulled    pod/web   Pulled it...',
    ]);
  });

  it('lists those of one namespace', async () => {
    record('web', 'Pulled');
    record('db', 'Pulled', 'shop');
    await events(false, 'shop');
    expect(terminal.printed.slice(1)).toEqual(['0s          Normal   Pulled   pod/db   Pulled it...']);
  });

  it('lists those of one pod, also of one that is gone, or of one type', async () => {
    agent.put(runningPod('web'));
    record('web-node1', 'Pulled');
    record('db', 'Started');
    agent.events.event({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'db' }, 'Warning', 'BackOff', 'x');
    const reasons = async (options: { about?: string; types?: string }): Promise<string[]> => {
      terminal = recordingTerminal();
      await printEvents(agent.connection, terminal, agent.clock, { watch: false, noHeaders: true, ...options });
      return terminal.printed.map((line) => line.split(/ +/)[3]!);
    };
    expect(await reasons({ about: 'pod/web' })).toEqual(['Pulled']);
    expect(await reasons({ about: 'db' })).toEqual(['Started', 'BackOff']);
    expect(await reasons({ about: 'pod/db', types: 'Warning' })).toEqual(['BackOff']);
    expect(await reasons({ types: 'Warning,Normal' })).toHaveLength(3);
    await expect(reasons({ types: 'Error' })).rejects.toThrow('valid --types are');
  });

  it('reports that there are none, on standard error', async () => {
    await events();
    await events(false, 'shop');
    expect(terminal.printed).toEqual([]);
    expect(terminal.errors).toEqual(['No events found.', 'No events found in namespace shop.']);
  });

  it('watches: what happened, then what happens', async () => {
    record('web', 'Pulled');
    const done = events(true);
    await terminal.until(2);
    record('web', 'Started');
    await terminal.until(3);
    record('web', 'Started');
    await terminal.until(4);
    terminal.interrupt();
    await done;
    expect(terminal.printed.map((line) => line.split(/ {2,}/).slice(1, 4).join('|'))).toEqual([
      'LAST SEEN|TYPE|REASON',
      '0s|Normal|Pulled',
      '0s|Normal|Started',
      '0s (x2 over 0s)|Normal|Started',
    ]);
  });
});
