/**
 * OpenAPI v2, which kubectl reads in protobuf for a file of kind List, and for every file before 1.27. The document has no
 * definitions, so kubectl validates nothing itself; the server validates each object, as `fieldValidation` says.
 */

export const openApiV2ContentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** kubectl asks with this one, which is not a valid media type: Go cannot parse it in a response. */
export const openApiV2Accepted = [openApiV2ContentType, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'];

/** A message `openapi.v2.Document` with the fields `swagger` and `info`. All of its bytes are ASCII. */
export const openApiV2Document = message(1, '2.0') + message(2, message(1, 'Kubernetes') + message(2, 'unversioned'));

/** A field with a length, which is below 128. */
function message(field: number, content: string): string {
  return String.fromCharCode((field << 3) | 2, content.length) + content;
}
