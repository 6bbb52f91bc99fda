import type { PluginDescription, PluginHandler } from '@rxlet/agent-api/plugins';
import { errorMessage } from '@rxlet/component-base';
import { Registration } from '../../gen/pluginregistration/v1/api_pb.js';
import { callPlugin, type PluginCallTarget } from '../rpc/transport.ts';

const GET_INFO_TIMEOUT_MS = 1_000;
const NOTIFY_TIMEOUT_MS = 5_000;
const { method } = Registration;

/** A plugin with the handler that has accepted it. */
export interface RegisteredPlugin {
  readonly plugin: PluginDescription;
  readonly handler: PluginHandler;
}

/** Registers the plugin behind a socket and reports the outcome to it. Rejects with the kubelet's message. */
export async function registerPlugin(
  target: PluginCallTarget,
  handlers: readonly PluginHandler[],
  signal: AbortSignal,
): Promise<RegisteredPlugin> {
  const { socketPath } = target;
  const plugin = await describe(target, signal);
  const handler = handlers.find(({ type }) => type === plugin.type);
  try {
    if (handler === undefined)
      throw new Error(`no handler registered for plugin type: ${plugin.type} at socket ${socketPath}`);
    await handler.register(plugin, signal);
  } catch (error) {
    signal.throwIfAborted();
    const message =
      handler === undefined
        ? `RegisterPlugin error -- ${errorMessage(error)}`
        : `RegisterPlugin error -- plugin registration failed with err: ${errorMessage(error)}`;
    await notify(target, false, message, signal);
    throw new Error(message, { cause: error });
  }
  try {
    await notify(target, true, '', signal);
  } catch (error) {
    handler.deregister(plugin);
    throw error;
  }
  return { plugin, handler };
}

async function describe(target: PluginCallTarget, signal: AbortSignal): Promise<PluginDescription> {
  const { socketPath } = target;
  try {
    const info = await callPlugin(target, method.getInfo, {}, { timeoutMs: GET_INFO_TIMEOUT_MS, signal });
    const { type, name, endpoint, supportedVersions: versions } = info;
    return { type, name, endpoint: endpoint === '' ? socketPath : endpoint, versions };
  } catch (error) {
    signal.throwIfAborted();
    const cause = errorMessage(error);
    const message = `RegisterPlugin error -- failed to get plugin info using RPC GetInfo at socket ${socketPath}, err: ${cause}`;
    throw new Error(message, { cause: error });
  }
}

async function notify(
  target: PluginCallTarget,
  pluginRegistered: boolean,
  error: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const request = { pluginRegistered, error };
    await callPlugin(target, method.notifyRegistrationStatus, request, { timeoutMs: NOTIFY_TIMEOUT_MS, signal });
  } catch (cause) {
    signal.throwIfAborted();
    const outcome = error === '' ? '' : ` (${error})`;
    const message = `RegisterPlugin error -- failed to send registration status at socket ${target.socketPath}, err: ${errorMessage(cause)}${outcome}`;
    throw new Error(message, { cause });
  }
}
