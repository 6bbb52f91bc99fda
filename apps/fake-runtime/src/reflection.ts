import { type DescFile, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { DescService, MessageInitShape } from '@bufbuild/protobuf';
import { StatusCode } from '@rxlet/cri-api';
import type { ServerReflectionDescriptor, ServerReflectionRequest } from '@rxlet/fake-cri/control';

type ReflectionResponse = MessageInitShape<
  (typeof ServerReflectionDescriptor.method)['serverReflectionInfo']['output']
>;
type MessageResponse = NonNullable<ReflectionResponse['messageResponse']>;

/** Returns the implementation of gRPC's server reflection for the given services, so that grpcurl and its like need no proto files. */
export function createReflection(services: readonly DescService[]): {
  serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>): AsyncIterable<ReflectionResponse>;
} {
  const files = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    file.dependencies.forEach(add);
  };
  for (const { file } of services) add(file);

  const answer = ({ messageRequest }: ServerReflectionRequest): MessageResponse => {
    switch (messageRequest.case) {
      case 'listServices':
        return {
          case: 'listServicesResponse',
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case 'fileByFilename':
        return fileResponse(files.get(messageRequest.value), `file "${messageRequest.value}"`);
      case 'fileContainingSymbol': {
        const symbol = messageRequest.value;
        return fileResponse(
          [...files.values()].find((file) => declares(file, symbol)),
          `symbol "${symbol}"`,
        );
      }
      default:
        // Messages of proto3 have no extensions.
        return errorResponse(StatusCode.NotFound, 'there are no extensions');
    }
  };
  return {
    async *serverReflectionInfo(requests) {
      for await (const request of requests) {
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(request) };
      }
    },
  };
}

function fileResponse(file: DescFile | undefined, what: string): MessageResponse {
  if (file === undefined) return errorResponse(StatusCode.NotFound, `${what} is unknown`);
  const all = [...new Set(withDependencies(file))];
  const fileDescriptorProto = all.map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

function errorResponse(errorCode: number, errorMessage: string): MessageResponse {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}

function withDependencies(file: DescFile): DescFile[] {
  return [file, ...file.dependencies.flatMap(withDependencies)];
}

/** Reports whether a file declares a service, a method of one, a message, one nested in it, or an enum. */
function declares(file: DescFile, symbol: string): boolean {
  const types = [...file.services, ...file.messages, ...file.enums].map(({ typeName }) => typeName);
  return types.some((typeName) => symbol === typeName || symbol.startsWith(`${typeName}.`));
}
