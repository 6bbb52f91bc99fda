import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { releaseMemoryAtRest } from './release-memory.ts';
import { createVirtualClock } from './virtual-clock.ts';

const MB = 1024 ** 2;

/** A process whose memory falls to `liveMb` with a release. */
function fakeProcess() {
  const clock = createVirtualClock();
  const state = { rssMb: 120, liveMb: 90, heapMb: 40, cpuMs: 0, releases: 0 };
  const parts = {
    clock,
    usage: () => ({ rssBytes: state.rssMb * MB, heapUsedBytes: state.heapMb * MB, cpuMs: state.cpuMs }),
    collect: () => {
      state.releases += 1;
      state.rssMb = state.liveMb;
    },
  };
  /** Lets time pass in which the process uses a share of a CPU. */
  const pass = async (seconds: number, cpu = 0): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      state.cpuMs += cpu * 1000;
      await clock.advance(1000);
    }
  };
  return { clock, state, pass, releasing: releaseMemoryAtRest(parts) };
}

describe('releaseMemoryAtRest', () => {
  it('releases memory once the process has been at rest for a minute, and not while it works', async () => {
    const { state, pass } = fakeProcess();
    await pass(300, 0.5);
    expect(state.releases).toBe(0);
    await pass(60);
    expect(state.releases).toBe(1);
  });

  it('releases again only after the process has grown', async () => {
    const { state, pass } = fakeProcess();
    await pass(600);
    expect(state.releases).toBe(1);
    state.rssMb = 105;
    await pass(600);
    expect(state.releases).toBe(1);
    state.rssMb = 107;
    await pass(60);
    expect(state.releases).toBe(2);
  });

  it('does not repeat a release that frees nothing', async () => {
    const { state, pass } = fakeProcess();
    state.liveMb = 120;
    await pass(3600);
    expect(state.releases).toBe(1);
  });

  it('does not block the process for a large heap', async () => {
    const { state, pass } = fakeProcess();
    state.heapMb = 300;
    await pass(600);
    expect(state.releases).toBe(0);
  });

  it('leaves no timer behind', () => {
    const { clock, releasing } = fakeProcess();
    releasing[Symbol.dispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it('returns the pages of a burst to the system on the Node.js of this project', () => {
    const url = new URL('./release-memory.ts', import.meta.url).href;
    // Keeps one of many objects, so that most pages are partly in use after the burst.
    const script = `
      import { releaseMemoryAtRest } from ${JSON.stringify(url)};
      const timers = [];
      const clock = { setTimer: (_, callback) => (timers.push(callback), { [Symbol.dispose]() {} }) };
      releaseMemoryAtRest({ clock });
      let all = Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: 'x' + index }));
      globalThis.kept = all.filter((_, index) => index % 500 === 0);
      all = undefined;
      const rss = () => process.memoryUsage.rss() / 1024 ** 2;
      const before = rss();
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { cpuUsage } = process;
      process.cpuUsage = () => ({ user: 0, system: 0 });
      timers.shift()(); timers.shift()();
      console.log(JSON.stringify({ before, after: rss(), kept: globalThis.kept.length, hasGc: 'gc' in globalThis }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { before, after, ...rest } = JSON.parse(stdout) as { before: number; after: number };
    expect(rest).toEqual({ kept: 3000, hasGc: false });
    expect(after).toBeLessThan(before - 60);
  });
});
