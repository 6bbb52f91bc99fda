import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { type CallOptions, ServiceError, StatusCode } from '@rxlet/cri-api';
import { type CriServices, makeServices, type RpcName } from '../metrics/cri-services.ts';

type Script = (request: never, options?: CallOptions) => unknown;

/** Creates ports whose methods answer from scripts: an object or a promise of one, or an iterable of objects for a stream. Others are Unimplemented. */
export function scriptedServices(scripts: Partial<Record<RpcName, Script>>): CriServices {
  const scriptOf = (name: string): ((request: object, options?: CallOptions) => unknown) => {
    const script = scripts[name as RpcName];
    if (script === undefined) throw new ServiceError(StatusCode.Unimplemented, `${name} has no script`);
    return script as (request: object, options?: CallOptions) => unknown;
  };
  return makeServices({
    unary:
      ({ method }) =>
      async (request, options) =>
        create(method.output, (await scriptOf(method.localName)(request, options)) as MessageInitShape<DescMessage>),
    streaming: ({ method }) =>
      async function* (request, options) {
        for await (const message of scriptOf(method.localName)(request, options) as AsyncIterable<object>) {
          yield create(method.output, message as MessageInitShape<DescMessage>);
        }
      },
  });
}

/** Returns the reason of a rejected promise. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not reject');
}
