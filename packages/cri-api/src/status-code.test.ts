import { describe, expect, it } from 'vitest';
import { ServiceError } from './service-error.ts';
import { callErrorCode, isNotFound, isUnimplemented, StatusCode, statusCodeName } from './status-code.ts';

describe('StatusCode', () => {
  it('numbers the codes as gRPC does', () => {
    expect(Object.values(StatusCode)).toEqual(Array.from({ length: 17 }, (_, code) => code));
    expect(StatusCode.NotFound).toBe(5);
    expect(StatusCode.Unauthenticated).toBe(16);
  });
});

describe('statusCodeName', () => {
  it('names codes, and numbers that are no codes', () => {
    expect([5, 16, 99].map(statusCodeName)).toEqual(['NotFound', 'Unauthenticated', 'Code(99)']);
  });
});

describe('callErrorCode', () => {
  it.each<[string, unknown, number | undefined]>([
    ['an error of a port', new ServiceError(StatusCode.AlreadyExists, 'exists'), 6],
    ['an error of another class', Object.assign(new Error('gone'), { code: 5 }), 5],
    ['a plain object', { code: 0 }, 0],
    ['the code of a system call', Object.assign(new Error('no such file'), { code: 'ENOENT' }), undefined],
    ['a number that is not a status', { code: 17 }, undefined],
    ['a negative number', { code: -2 }, undefined],
    ['no number', { code: Number.NaN }, undefined],
    ['an error without a code', new Error('boom'), undefined],
    ['a string', 'boom', undefined],
    ['null', null, undefined],
    ['nothing', undefined, undefined],
  ])('reads %s', (_, error, code) => {
    expect(callErrorCode(error)).toBe(code);
  });
});

describe.each([
  ['isNotFound', isNotFound, StatusCode.NotFound],
  ['isUnimplemented', isUnimplemented, StatusCode.Unimplemented],
] as const)('%s', (_, is, code) => {
  it('is true for its code only', () => {
    const codes = Object.values(StatusCode).filter((other) => is(new ServiceError(other, 'refused')));
    expect(codes).toEqual([code]);
    expect(is(new Error('boom'))).toBe(false);
  });
});

describe('ServiceError', () => {
  it('is an error with its code, message and cause', () => {
    const cause = new Error('deeper');
    const error = new ServiceError(StatusCode.FailedPrecondition, 'the sandbox is not ready', { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'ServiceError', code: 9, message: 'the sandbox is not ready', cause });
  });
});
