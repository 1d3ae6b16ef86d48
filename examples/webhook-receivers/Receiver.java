import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.*;
import static java.nio.file.StandardOpenOption.*;

import com.sun.net.httpserver.*;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import java.security.*;
import java.time.Instant;
import java.util.*;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
  static final byte[] KEY = Base64.getDecoder().decode(System.getenv("WEBHOOK_SECRET").substring("whsec_".length()));
  static final HttpClient CLIENT = HttpClient.newHttpClient();
  /** Java has no parser of JSON. Of a thin message about orders, only the ids matter. */
  static final Pattern ORDER_ID = Pattern.compile("\"id\":\"([0-9a-f-]{36})\"");

  static boolean isGenuine(Headers headers, byte[] body) throws GeneralSecurityException {
    String id = headers.getFirst("webhook-id"), sentAt = headers.getFirst("webhook-timestamp");
    String signatures = headers.getFirst("webhook-signature");
    if (id == null || sentAt == null || signatures == null) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    mac.update((id + "." + sentAt + ".").getBytes(UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);
    return Arrays.stream(signatures.split(" ")).anyMatch(each -> MessageDigest.isEqual(each.getBytes(UTF_8), expected))
        && Math.abs(Instant.now().getEpochSecond() - Long.parseLong(sentAt)) <= 300;
  }

  static int receive(HttpExchange exchange) throws Exception {
    byte[] body = exchange.getRequestBody().readAllBytes();
    if (!isGenuine(exchange.getRequestHeaders(), body)) return 401;
    String file = "inbox/" + exchange.getRequestHeaders().getFirst("webhook-id");
    Files.write(Path.of(file + ".part"), body, CREATE, WRITE, TRUNCATE_EXISTING, DSYNC);
    Files.move(Path.of(file + ".part"), Path.of(file + ".json"), ATOMIC_MOVE);
    return 204;
  }

  static void readOrders() throws Exception {
    try (var messages = Files.newDirectoryStream(Path.of("inbox"), "*.json")) {
      for (Path message : messages) {
        for (var ids = ORDER_ID.matcher(Files.readString(message)); ids.find(); ) {
          var request = HttpRequest.newBuilder(URI.create(System.getenv("STORE_URL") + "/v1/orders/" + ids.group(1)))
              .header("Authorization", "Bearer " + System.getenv("STORE_KEY")).build();
          int status = CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
          if (status != 200 && status != 404) throw new IllegalStateException(status + " for order " + ids.group(1));
          System.out.println(ids.group(1) + (status == 200 ? " read" : " deleted"));
        }
        Files.delete(message);
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Files.createDirectories(Path.of("inbox"));
    var server = HttpServer.create(new InetSocketAddress(Integer.parseInt(System.getenv("PORT"))), 0);
    server.createContext("/", exchange -> {
      int status = 500;
      try {
        status = receive(exchange);
      } catch (Exception failure) {
        failure.printStackTrace();
      } finally {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
      }
    });
    server.start();
    for (;; Thread.sleep(1000)) {
      try {
        readOrders();
      } catch (Exception failure) {
        failure.printStackTrace();
      }
    }
  }
}
