import { describe, expect, it } from 'vitest';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { classifyPullFailure, runtimeMessage } from './pull-failure.ts';

describe('runtimeMessage', () => {
  it('puts the code before the text, unless it says nothing', () => {
    expect(runtimeMessage(new ServiceError(StatusCode.NotFound, 'no such image'))).toBe(
      'rpc error: code = NotFound desc = no such image',
    );
    expect(runtimeMessage(new ServiceError(StatusCode.Unknown, 'no such image'))).toBe('no such image');
    expect(runtimeMessage(new Error('pull QPS exceeded'))).toBe('pull QPS exceeded');
  });

  it('prefers the own words of the runtime to the message of a client', () => {
    const error = Object.assign(new Error('PullImage failed: no such image'), { code: 5, details: 'no such image' });
    expect(runtimeMessage(error)).toBe('rpc error: code = NotFound desc = no such image');
    expect(runtimeMessage(Object.assign(error, { details: '' }))).toBe(
      'rpc error: code = NotFound desc = PullImage failed: no such image',
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
