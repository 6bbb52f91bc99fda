export {
  createProcessProvider,
  type ProcessProvider,
  type ProcessProviderOptions,
  type ProcessProviderPorts,
} from './processes/create-process-provider.ts';
