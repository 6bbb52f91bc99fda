import { callErrorCode, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { parseEndpoint } from './endpoint.ts';
import type { CriErrorKind } from './cri-error.ts';
import { statusError } from './status-error.ts';

const subject = {
  endpoint: parseEndpoint('unix:///run/x.sock'),
  service: 'runtime.v1.RuntimeService',
  method: 'RunPodSandbox',
};

describe('statusError', () => {
  it.each<[number, string, CriErrorKind]>([
    [StatusCode.NotFound, 'no such container', 'rejected'],
    [StatusCode.Unknown, 'failed to pull image', 'rejected'],
    [StatusCode.Unknown, 'cni plugin not initialized', 'rejected'],
    [StatusCode.Unknown, 'failed to set up sandbox: the server is not ready', 'rejected'],
    [StatusCode.Unknown, 'server is not initialized yet', 'runtime-not-ready'],
    [StatusCode.Unavailable, 'server is not initialized yet', 'runtime-not-ready'],
    [StatusCode.Unavailable, 'the store is loading', 'runtime-not-ready'],
    [StatusCode.DeadlineExceeded, 'timeout 1s exceeded', 'deadline'],
    [StatusCode.Canceled, 'context canceled', 'rejected'],
    [StatusCode.Unimplemented, 'unknown method RunPodSandbox for service runtime.v1.RuntimeService', 'unimplemented'],
    [StatusCode.Unimplemented, 'unknown service runtime.v1.RuntimeService', 'not-a-cri'],
  ])('code %i with %j is %s', (code, details, kind) => {
    const error = statusError({ code, details }, subject);
    expect(error).toMatchObject({ kind, code, details, method: 'RunPodSandbox', endpoint: 'unix:///run/x.sock' });
    expect(callErrorCode(error)).toBe(code);
    expect(error.message).toContain('RunPodSandbox at unix:///run/x.sock: ');
    expect(error.message).toContain(details);
  });

  it('treats a missing Version as a missing service, whatever its message, and names the required CRI', () => {
    const error = statusError(
      { code: StatusCode.Unimplemented, details: 'Method not found!' },
      { ...subject, method: 'Version' },
    );
    expect(error.kind).toBe('not-a-cri');
    expect(error.message).toContain(
      'the server has no service runtime.v1.RuntimeService; CRI v1 or v1alpha2 is needed',
    );
  });

  it("has the runtime's message on one line, as in every CRI client", () => {
    const error = statusError({ code: StatusCode.Unknown, details: 'failed to create:\n  exit status 1\n' }, subject);
    expect(error.message).toBe(
      'RunPodSandbox at unix:///run/x.sock: rpc error: code = Unknown desc = failed to create: exit status 1',
    );
    expect(error.details).toBe('failed to create:\n  exit status 1\n');
  });

  it('takes time linear in the spaces of a message: it may quote the command of a container', () => {
    const details = `exec: "a${' '.repeat(600_000)}b \n\n c": not found`;
    const { message } = statusError({ code: StatusCode.Unknown, details }, subject);
    expect(message).toMatch(/ {9}b c": not found$/);
  });

  it('converts a code that gRPC does not have to Unknown', () => {
    expect(statusError({ code: 99, details: 'x' }, subject).code).toBe(StatusCode.Unknown);
  });
});
