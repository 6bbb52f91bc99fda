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
    [StatusCode.NotFound, 'no such container', 'refused'],
    [StatusCode.Unknown, 'failed to pull image', 'refused'],
    [StatusCode.Unknown, 'cni plugin not initialized', 'refused'],
    [StatusCode.Unknown, 'failed to set up sandbox: the server is not ready', 'refused'],
    [StatusCode.Unknown, 'server is not initialized yet', 'runtime-not-ready'],
    [StatusCode.Unavailable, 'server is not initialized yet', 'runtime-not-ready'],
    [StatusCode.Unavailable, 'the store is loading', 'runtime-not-ready'],
    [StatusCode.DeadlineExceeded, 'timeout 1s exceeded', 'deadline'],
    [StatusCode.Canceled, 'context canceled', 'refused'],
    [StatusCode.Unimplemented, 'unknown method RunPodSandbox for service runtime.v1.RuntimeService', 'unimplemented'],
    [StatusCode.Unimplemented, 'unknown service runtime.v1.RuntimeService', 'not-a-cri'],
  ])('code %i with %j is %s', (code, details, kind) => {
    const error = statusError({ code, details }, subject);
    expect(error).toMatchObject({ kind, code, details, method: 'RunPodSandbox', endpoint: 'unix:///run/x.sock' });
    expect(callErrorCode(error)).toBe(code);
    expect(error.message).toContain('RunPodSandbox at unix:///run/x.sock: ');
    expect(error.message).toContain(details);
  });

  it('takes a missing Version for a missing service in whatever words, and says which CRI is needed', () => {
    const error = statusError(
      { code: StatusCode.Unimplemented, details: 'Method not found!' },
      { ...subject, method: 'Version' },
    );
    expect(error.kind).toBe('not-a-cri');
    expect(error.message).toContain(
      'the server has no service runtime.v1.RuntimeService; CRI v1 or v1alpha2 is needed',
    );
  });

  it("gives the runtime's own words as every CRI client does, on one line", () => {
    const error = statusError({ code: StatusCode.Unknown, details: 'failed to create:\n  exit status 1\n' }, subject);
    expect(error.message).toBe(
      'RunPodSandbox at unix:///run/x.sock: rpc error: code = Unknown desc = failed to create: exit status 1',
    );
    expect(error.details).toBe('failed to create:\n  exit status 1\n');
  });

  it('makes Unknown of a code that gRPC does not have', () => {
    expect(statusError({ code: 99, details: 'x' }, subject).code).toBe(StatusCode.Unknown);
  });
});
