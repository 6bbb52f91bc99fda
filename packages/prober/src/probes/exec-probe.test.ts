import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import type { ProbeRequest } from '../probe-runner.ts';
import { expandCommand, runExecProbe } from './exec-probe.ts';

describe('expandCommand', () => {
  it('rejects a command that is more than a runtime takes', () => {
    const env = [{ name: 'BIG', value: 'x'.repeat(2 ** 20) }];
    const command = Array.from({ length: 16 }, () => '$(BIG)');
    expect(expandCommand(command, env)).toHaveLength(16);
    expect(() => expandCommand([...command, '$(BIG)'], env)).toThrow('the command has more than 16777216 characters');
  });
});

describe('runExecProbe', () => {
  it('shows the beginning of a very long command that timed out', async () => {
    const late = new ServiceError(StatusCode.DeadlineExceeded, 'late');
    const runtime = { execSync: () => Promise.reject(late) };
    const container = { name: 'app', env: [{ name: 'BIG', value: 'x'.repeat(2 ** 20) }] };
    const request: ProbeRequest = {
      ...{ kind: 'liveness', pod: {}, container, containerId: 'c1', probe: {}, timeoutMs: 1000, podIp: undefined },
    };
    const { signal } = new AbortController();
    const { output } = await runExecProbe(runtime, request, { command: ['echo', '$(BIG)'] }, signal);
    expect(output).toBe(`command timed out: "${`echo ${'x'.repeat(2 ** 20)}`.slice(0, 10_240)}" timed out after 1s`);
  });
});
