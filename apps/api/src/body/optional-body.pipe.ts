import { Injectable, type ArgumentMetadata } from '@nestjs/common';
import { BodyPipe } from './body.pipe.js';

/** Like {@link BodyPipe}, for a body whose fields are all optional: it may be absent. */
@Injectable()
export class OptionalBodyPipe extends BodyPipe {
  override transform(body: unknown, metadata: ArgumentMetadata): object {
    return super.transform(body ?? {}, metadata);
  }
}
