// SPDX-License-Identifier: Apache-2.0
import java.io.FileWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Locale;

/** Writes numbers through JDBC, as an application would. What all writers here do is in drivers_test.py. */
public class Writer {
    static double now() {
        return System.currentTimeMillis() / 1000.0;
    }

    public static void main(String[] arguments) throws Exception {
        String name = arguments[0];
        double sleep = Double.parseDouble(arguments[2]);
        Connection connection = null;
        try (FileWriter log = new FileWriter(arguments[1], true)) {
            for (long number = 1;; number++) {
                double began = now();
                String line;
                try {
                    if (connection == null)
                        connection = DriverManager.getConnection(System.getenv("WRITER_DSN"));
                    try (PreparedStatement statement =
                             connection.prepareStatement("INSERT INTO written (writer, number) SELECT ?, ? FROM pg_sleep(?)")) {
                        statement.setString(1, name);
                        statement.setLong(2, number);
                        statement.setDouble(3, sleep);
                        statement.executeUpdate();
                    }
                    line = String.format(Locale.ROOT, "ack %d %.3f %.3f -\n", number, began, now());
                } catch (SQLException error) {
                    String said = String.valueOf(error.getMessage()).replaceAll("\\s+", " ");
                    line = String.format(Locale.ROOT, "err %d %.3f %.3f %s\n", number, began, now(), said);
                    if (connection != null) {
                        try {
                            connection.close();
                        } catch (SQLException ignored) {
                            // it was broken
                        }
                        connection = null;
                    }
                }
                log.write(line);
                log.flush();
                Thread.sleep(line.startsWith("ack") ? 50 : 200);
            }
        }
    }
}
