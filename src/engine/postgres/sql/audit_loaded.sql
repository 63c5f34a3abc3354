-- Whether the server has loaded the library $1.
SELECT $1 = ANY (string_to_array(replace(current_setting('shared_preload_libraries'), ' ', ''), ','))
