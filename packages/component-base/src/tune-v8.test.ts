import { spawnSync } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { tuneV8 } from './tune-v8.ts';

/** Flags that are set for a version of V8. */
function flagsOn(v8Version?: string): string[] {
  const flags: string[] = [];
  tuneV8(v8Version, (flag) => flags.push(flag));
  return flags;
}

describe('tuneV8', () => {
  it('sets flags that the Node.js of this project knows', () => {
    const flags = flagsOn();
    expect(flags).toHaveLength(2);
    const { stderr, status } = spawnSync(process.execPath, [...flags, '--eval', ''], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it('sets none on a V8 that may not know them', () => {
    expect(flagsOn('99.1.2.3')).toEqual([]);
  });

  it('leaves the time to the launcher, where there is one', () => {
    let setFlags: (() => void) | undefined;
    const take = (message: unknown): void => {
      ({ setFlags } = message as { setFlags: () => void });
    };
    channel('rxlet.loaded').subscribe(take);
    try {
      const flags: string[] = [];
      tuneV8(process.versions.v8, (flag) => flags.push(flag));
      expect(flags).toEqual([]);
      setFlags?.();
      expect(flags).toHaveLength(2);
    } finally {
      channel('rxlet.loaded').unsubscribe(take);
    }
  });
});
