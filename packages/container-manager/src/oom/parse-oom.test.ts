import { describe, expect, it } from 'vitest';
import { createOomParser, kernelMessage, type OomKill } from './parse-oom.ts';

function killsOf(...messages: readonly string[]): OomKill[] {
  const parser = createOomParser();
  return messages.flatMap((message) => parser.next(message) ?? []);
}

describe('the parser of OOM kills', () => {
  it('reads a kill at the limit of a cgroup', () => {
    const kills = killsOf(
      'tail invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=1000',
      'memory: usage 49152kB, limit 49152kB, failcnt 20',
      'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c1,mems_allowed=0,oom_memcg=/kubepods/pod1,task_memcg=/kubepods/pod1/c1,task=tail,pid=42,uid=0',
      'Memory cgroup out of memory: Killed process 42 (tail) total-vm:50000kB, anon-rss:48000kB',
    );
    expect(kills).toEqual([{ cgroup: '/kubepods/pod1', pid: 42, process: 'tail' }]);
  });

  it('reads kills of the whole node', () => {
    const kills = killsOf(
      'a invoked oom-killer: gfp_mask=0x140dca',
      'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice,task=stress (1),pid=7,uid=0',
      'Out of memory: Killed process 7 (stress (1)) total-vm:1kB',
      'b invoked oom-killer: gfp_mask=0x140dca',
      'Out of memory: Killed process 8 (other) total-vm:1kB',
    );
    expect(kills).toMatchObject([
      { cgroup: '/', pid: 7, process: 'stress (1)' },
      { cgroup: '/', pid: 8, process: 'other' },
    ]);
  });

  it('ignores other messages and kills whose beginning was lost', () => {
    expect(killsOf('eth0: link up', 'Out of memory: Killed process 7 (stress) total-vm:1kB')).toEqual([]);
  });
});

describe('kernelMessage', () => {
  it('returns the text of a record', () => {
    expect(kernelMessage('6,339,5140900,-;NET: Registered; PF_INET\n SUBSYSTEM=net\n')).toBe(
      'NET: Registered; PF_INET',
    );
  });
});
