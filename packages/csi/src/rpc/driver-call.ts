import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { CsiCallError } from '../csi-drivers.ts';
import { callPlugin, PluginCallError, type PluginCallOptions, type PluginCallTarget } from '@rxlet/node-plugins';

/** Calls a method of a driver. Rejects with `CsiCallError`, or with the signal's reason. */
export async function callDriver<I extends DescMessage, O extends DescMessage>(
  target: PluginCallTarget,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  options: PluginCallOptions,
): Promise<MessageShape<O>> {
  try {
    return await callPlugin(target, method, request, options);
  } catch (error) {
    if (!(error instanceof PluginCallError)) throw error;
    throw new CsiCallError(error.code, error.description, { cause: error });
  }
}
