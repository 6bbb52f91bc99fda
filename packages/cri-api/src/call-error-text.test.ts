import { describe, expect, it } from 'vitest';
import { callErrorDetails, callErrorText } from './call-error-text.ts';
import { ServiceError } from './service-error.ts';
import { StatusCode } from './status-code.ts';

const ofClient = (details: string): Error =>
  Object.assign(new Error('PullImage at unix:///run/x.sock: no such image'), { code: StatusCode.NotFound, details });

describe('callErrorDetails and callErrorText', () => {
  it.each<[string, unknown, string, string]>([
    [
      'an error of a port',
      new ServiceError(StatusCode.Unknown, 'boom'),
      'boom',
      'rpc error: code = Unknown desc = boom',
    ],
    [
      'an error of a client',
      ofClient('no such image'),
      'no such image',
      'rpc error: code = NotFound desc = no such image',
    ],
    [
      'an error of a client without an answer of the runtime',
      ofClient(''),
      'PullImage at unix:///run/x.sock: no such image',
      'rpc error: code = NotFound desc = PullImage at unix:///run/x.sock: no such image',
    ],
    ['an error without a code', new Error('pull QPS exceeded'), 'pull QPS exceeded', 'pull QPS exceeded'],
    ['an error of the system', Object.assign(new Error('gone'), { code: 'ENOENT' }), 'gone', 'gone'],
    ['details that are not text', Object.assign(new Error('odd'), { details: 7 }), 'odd', 'odd'],
    ['a string', 'boom', 'boom', 'boom'],
    ['nothing', undefined, 'undefined', 'undefined'],
  ])('describe %s', (_, error, details, text) => {
    expect([callErrorDetails(error), callErrorText(error)]).toEqual([details, text]);
  });
});
