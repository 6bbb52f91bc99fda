import { describe, expect, it } from 'vitest';
import { DeadlineExceededError } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { classifyPullFailure, pullErrorText, runtimeErrorText } from './pull-failure.ts';

describe('the text of a failed call', () => {
  const unknown = new ServiceError(StatusCode.Unknown, 'no such image');

  it('begins with the code, apart from the code Unknown of a pull', () => {
    const notFound = new ServiceError(StatusCode.NotFound, 'no such image');
    expect(pullErrorText(notFound)).toBe('rpc error: code = NotFound desc = no such image');
    expect(pullErrorText(unknown)).toBe('no such image');
    expect(runtimeErrorText(unknown)).toBe('rpc error: code = Unknown desc = no such image');
    expect(pullErrorText(new Error('pull QPS exceeded'))).toBe('pull QPS exceeded');
  });

  it('is that of a deadline for a call that timed out', () => {
    expect(runtimeErrorText(new DeadlineExceededError(1000))).toBe(
      'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    );
  });
});

describe('classifyPullFailure', () => {
  it.each([
    ['RegistryUnavailable', 'RegistryUnavailable', 'image pull failed for web because the registry is unavailable'],
    [
      'RegistryUnavailable: 503\nlater',
      'RegistryUnavailable',
      'image pull failed for web because the registry is unavailable: 503\nlater',
    ],
    [
      'SignatureValidationFailed: not signed',
      'SignatureValidationFailed',
      'image pull failed for web because the signature validation failed: not signed',
    ],
    ['the end: RegistryUnavailable', 'ErrImagePull', 'the end: RegistryUnavailable'],
  ])('%j', (text, reason, message) => {
    expect(classifyPullFailure('web', new ServiceError(StatusCode.Unknown, text))).toEqual({ reason, message });
  });
});
