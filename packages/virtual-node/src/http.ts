export { createHttpProvider, type HttpProviderOptions } from './http/create-http-provider.ts';
