import { createModuleContext } from '@rxlet/agent-api/testing';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import type { KernelLog } from './oom/kernel-log.ts';
import { oomEvents } from './oom-events-module.ts';

async function watch(kernelLog: KernelLog) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const logger = recordingLogger();
  const context = createModuleContext({ clock, events, logger });
  const parts = oomEvents({ kernelLog }).setup(context)!;
  await parts.start!(new AbortController().signal);
  await clock.advance(1);
  await parts[Symbol.asyncDispose]!();
  return { events: events.list(), lines: logger.lines };
}

describe('the module of OOM events', () => {
  it('reports that the node ran out of memory, and no kill at a limit', async () => {
    const { events } = await watch({
      async *follow() {
        yield 'tail invoked oom-killer: gfp_mask=0xcc0';
        yield 'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c,mems_allowed=0,oom_memcg=/kubepods/a,task_memcg=/kubepods/a,task=tail,pid=1,uid=0';
        yield 'Memory cgroup out of memory: Killed process 1 (tail)';
        yield 'x invoked oom-killer: gfp_mask=0xcc0';
        yield 'Out of memory: Killed process 7 (stress) total-vm:1kB';
      },
    });
    expect(events).toMatchObject([
      {
        object: { kind: 'Node', name: 'node1' },
        type: 'Warning',
        reason: 'SystemOOM',
        message: 'System OOM encountered, victim process: stress, pid: 7',
      },
    ]);
  });

  it('logs once that it cannot read the log', async () => {
    const { events, lines } = await watch({
      async *follow() {
        throw new Error('EACCES: permission denied');
      },
    });
    expect(events).toEqual([]);
    expect(lines).toMatchObject([{ level: 'warn', fields: { error: 'EACCES: permission denied' } }]);
  });
});
