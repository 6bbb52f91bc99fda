/** Process that the kernel killed because memory ran out. */
export interface OomKill {
  /** Cgroup whose limit was reached; `/` when the whole node ran out of memory. */
  readonly cgroup: string;
  readonly pid: number;
  /** Name of the process. */
  readonly process: string;
}

/** Collects the lines of OOM kills from the kernel's log. */
export interface OomParser {
  /** Takes the next message. Returns the kill that it completes, if any. */
  next(message: string): OomKill | undefined;
}

const BEGIN = /invoked oom-killer:/;
/** Summary of the kernel since Linux 4.20. A kill of the whole node has `global_oom` in place of the cgroup. */
const SUMMARY = /oom-kill:constraint=.*,mems_allowed=[^,]*,oom_memcg=(.*),task_memcg=.*,task=.*,pid=\d+,uid=\d+/;
const END = /Killed process (\d+) \((.+)\)/;

/** Creates an {@link OomParser}. */
export function createOomParser(): OomParser {
  /** Cgroup of the kill whose lines are being read. */
  let cgroup: string | undefined;
  return {
    next(message) {
      if (BEGIN.test(message)) {
        cgroup = '/';
        return undefined;
      }
      if (cgroup === undefined) return undefined;
      cgroup = SUMMARY.exec(message)?.[1] ?? cgroup;
      const killed = END.exec(message);
      if (killed === null) return undefined;
      const kill = { cgroup, pid: Number(killed[1]), process: killed[2]! };
      cgroup = undefined;
      return kill;
    },
  };
}

/** Returns the text of a record of `/dev/kmsg`: `6,1234,5678,-;text`, with further lines of key-value pairs. */
export function kernelMessage(record: string): string {
  const text = record.slice(record.indexOf(';') + 1);
  return text.split('\n', 1)[0]!;
}
