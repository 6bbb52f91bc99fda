import { describe, expect, it } from 'vitest';
import { createBench } from '../test-support.ts';

describe('a shell with a trap', () => {
  const stop = async (script: string): Promise<[number, number, string[]]> => {
    const { clock, fake, start, container, logOf } = await createBench();
    const containerId = await start('sh', '-c', script);
    await clock.advance(1000);
    const startedMs = clock.monotonicNow();
    let endedMs = 0;
    const stopped = fake.runtime.stopContainer({ containerId, timeout: 30n }).then(() => {
      endedMs = clock.monotonicNow();
    });
    await clock.advance(60_000);
    await stopped;
    const { exitCode } = await container(containerId);
    expect(clock.pendingTimers).toBe(0);
    return [exitCode, Math.round((endedMs - startedMs) / 1000), await logOf(containerId)];
  };

  it.each<[string, [number, number, string[]]]>([
    // The handler waits for the command in the foreground, as in a real shell.
    ["trap 'echo bye; exit 0' TERM; while true; do sleep 5; done", [0, 4, ['stdout F bye']]],
    ["trap 'exit 0' TERM; sleep 3600", [137, 30, []]],
    ["trap 'echo bye; exit 7' TERM; sleep 3600 & wait", [7, 0, ['stdout F bye']]],
    ["trap '' TERM; sleep 3600", [137, 30, []]],
    ["trap '' TERM; trap - TERM; sleep 3600", [143, 0, []]],
  ])('%s', async (script, result) => {
    expect(await stop(script)).toEqual(result);
  });
});
