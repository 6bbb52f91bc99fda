import { create } from '@bufbuild/protobuf';
import { ContainerConfigSchema, Signal } from '@rxlet/cri-api';
import type { Lifecycle } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { buildContainerConfig } from './build-container-config.ts';
import { defaultNodeSettings } from './node-settings.ts';
import { stopSignal } from './stop-signal.ts';

const series = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1)}`);

describe('stopSignal', () => {
  it('converts each of the 65 names that a pod may use', () => {
    const plain =
      'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX';
    const names = [...plain.split(' '), ...series('RTMIN+', 15), ...series('RTMAX-', 14)].map((name) => `SIG${name}`);
    const signals = names.map(stopSignal);
    expect(names).toHaveLength(65);
    expect(new Set(signals).size).toBe(65);
    expect(signals).not.toContain(Signal.RUNTIME_DEFAULT);
    expect([stopSignal('SIGUSR1'), stopSignal('SIGRTMIN+3'), stopSignal('SIGRTMAX-14')]).toEqual([
      Signal.SIGUSR1,
      Signal.SIGRTMINPLUS3,
      Signal.SIGRTMAXMINUS14,
    ]);
  });

  it('falls back to the runtime’s default', () => {
    for (const name of [undefined, '', 'TERM', 'RUNTIME_DEFAULT', 'SIGNOPE', '15', 'SIGRTMIN+16', 'constructor']) {
      expect(stopSignal(name), name).toBe(Signal.RUNTIME_DEFAULT);
    }
  });

  it('is passed to the runtime only if the feature gate is enabled', () => {
    const lifecycle: Lifecycle = { stopSignal: 'SIGUSR2' };
    const pod = testPod({ containers: [{ name: 'app', lifecycle }] });
    const build = (containerStopSignals: boolean): Signal =>
      create(
        ContainerConfigSchema,
        buildContainerConfig({
          pod,
          container: pod.spec!.containers[0]!,
          restartCount: 0,
          environment: new Map(),
          imageRef: 'sha256:1',
          imageUser: { uid: 0n },
          mounts: [],
          settings: { ...defaultNodeSettings, memoryCapacityBytes: 1n << 30n, containerStopSignals },
        }),
      ).stopSignal;
    expect(build(false)).toBe(Signal.RUNTIME_DEFAULT);
    expect(build(true)).toBe(Signal.SIGUSR2);
  });
});
